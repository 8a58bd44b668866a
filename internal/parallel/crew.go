package parallel

import (
	"sync"
	"sync/atomic"
	"time"
)

// idleTimeout is how long a parked worker stays; it leaves at the latest after
// twice that time.
const idleTimeout = 5 * time.Second

// wakeFan is how many workers a caller or a freshly joined worker wakes. Waking
// costs a system call, so it is spread over a tree instead of being done by the
// caller alone.
const wakeFan = 2

// crew is the set of workers and the jobs that wait for them.
type crew struct {
	// open counts workers wanted by all listed jobs; spinning workers watch it.
	open atomic.Int32

	mu       sync.Mutex
	first    *job // jobs that want workers, oldest first
	last     *job
	free     *job      // recycled jobs, linked by next
	idle     []*worker // parked, most recently used last
	spinning int
	busy     int // workers inside a job
	live     int // workers that exist: idle, spinning, busy or about to end
	pools    int // pools not closed yet

	gone    sync.Cond // a worker ended; L is &mu
	tick    uint64    // rounds of the janitor
	janitor *time.Timer
}

var theCrew = newCrew()

func newCrew() *crew {
	c := &crew{}
	c.gone.L = &c.mu
	return c
}

// worker is one goroutine of the crew. A message on wake says: look for a job
// (true) or end (false).
type worker struct {
	wake   chan bool
	parked uint64 // tick at which it parked
}

func (c *crew) opened() {
	c.mu.Lock()
	c.pools++
	c.mu.Unlock()
}

// closed counts one pool less and, after the last one, dismisses the workers.
// Those inside a job are not waited for (Close may have been called by a body);
// they find no pool open and end by themselves.
func (c *crew) closed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pools--
	if c.pools > 0 {
		return
	}
	for _, w := range c.idle {
		w.wake <- false
	}
	c.idle = c.idle[:0]
	for c.live > c.busy && c.pools == 0 {
		c.gone.Wait()
	}
}

// post lists a new job that wants help and wakes or starts workers for it.
func (c *crew) post(p *Pool, done <-chan struct{}, n, chunks, want int, body func(lo, hi int)) *job {
	c.mu.Lock()
	j := c.free
	if j == nil {
		j = &job{finished: make(chan struct{}, 1)}
	} else {
		c.free = j.next
	}
	j.pool, j.body, j.done, j.n, j.chunks, j.want = p, body, done, n, chunks, want
	j.cursor.Store(0)
	j.active.Store(1)
	j.stopped.Store(false)
	j.fault.Store(nil)

	j.prev, j.next = c.last, nil
	if c.last != nil {
		c.last.next = j
	} else {
		c.first = j
	}
	c.last = j
	c.open.Add(int32(want))

	for missing := want - c.spinning - len(c.idle); missing > 0 && c.live < p.crewCap; missing-- {
		c.start()
	}
	c.wakeSome()
	c.mu.Unlock()
	return j
}

// wakeSome wakes up to wakeFan parked workers if the listed jobs want more
// than the spinning ones. c.mu is held.
func (c *crew) wakeSome() {
	for range min(wakeFan, int(c.open.Load())-c.spinning, len(c.idle)) {
		w := c.idle[len(c.idle)-1]
		c.idle = c.idle[:len(c.idle)-1]
		c.spinning++ // it is on its way: nobody need wake another for the same work
		w.wake <- true
	}
}

// unlist takes j out of the jobs that want workers. c.mu is held.
func (c *crew) unlist(j *job) {
	if j.prev != nil {
		j.prev.next = j.next
	} else {
		c.first = j.next
	}
	if j.next != nil {
		j.next.prev = j.prev
	} else {
		c.last = j.prev
	}
	j.prev, j.next = nil, nil
}

// join takes the oldest job that wants a worker, or returns nil. c.mu is held.
func (c *crew) join() *job {
	j := c.first
	if j == nil {
		return nil
	}
	j.want--
	j.active.Add(1)
	c.open.Add(-1)
	if j.want == 0 {
		c.unlist(j)
	}
	return j
}

// retire ends the caller's part in j: nobody joins any more, the workers
// inside are waited for, and j is recycled.
func (c *crew) retire(j *job) (stopped bool, fault *Panic) {
	c.mu.Lock()
	if j.want > 0 {
		c.unlist(j)
		c.open.Add(int32(-j.want))
		j.pool.helpers.Add(int32(-j.want))
		j.want = 0
	}
	if j.active.Add(-1) > 0 {
		c.mu.Unlock()
		j.await()
		c.mu.Lock()
	}
	stopped, fault = j.stopped.Load(), j.fault.Load()
	j.pool, j.body, j.done = nil, nil, nil
	j.fault.Store(nil)
	j.next, c.free = c.free, j
	c.mu.Unlock()
	return stopped, fault
}

// start adds a worker, spinning. c.mu is held.
func (c *crew) start() {
	c.live++
	c.spinning++
	go c.run(&worker{wake: make(chan bool, 1)})
	if c.janitor == nil {
		c.janitor = time.AfterFunc(idleTimeout, c.sweep)
	} else if c.live == 1 {
		c.janitor.Reset(idleTimeout)
	}
}

// run is the life of a worker: look for a job, help with it, park if there is
// none for a while.
func (c *crew) run(w *worker) {
	wanted := func() bool { return c.open.Load() > 0 }
	state := &c.spinning // the counter this worker is in, nil for none
	defer func() {
		c.mu.Lock()
		c.move(&state, nil)
		c.live--
		c.gone.Broadcast()
		c.mu.Unlock()
	}()
	for {
		spinUntil(wanted)
		c.mu.Lock()
		j := c.join()
		switch {
		case j != nil:
			c.move(&state, &c.busy)
			c.wakeSome()
			c.mu.Unlock()
			j.help()
			c.mu.Lock()
			c.move(&state, &c.spinning)
			c.mu.Unlock()
		case c.pools == 0:
			c.mu.Unlock()
			return
		default:
			c.move(&state, nil)
			w.parked = c.tick
			c.idle = append(c.idle, w)
			c.mu.Unlock()
			if !<-w.wake {
				return
			}
			state = &c.spinning // wakeSome has counted it
		}
	}
}

// move takes a worker from one counter of the crew to another. c.mu is held.
func (c *crew) move(state **int, to *int) {
	if *state != nil {
		**state--
	}
	if to != nil {
		*to++
	}
	*state = to
}

// help is a worker's part in j; leaving is deferred so that a body calling
// runtime.Goexit does not leave the caller waiting.
func (j *job) help() {
	defer j.leave()
	j.work(false)
}

// sweep runs every idleTimeout while there are workers and ends those that
// have been parked for a whole round. The stack's bottom is the longest parked.
func (c *crew) sweep() {
	c.mu.Lock()
	defer c.mu.Unlock()
	stale := 0
	for stale < len(c.idle) && c.idle[stale].parked < c.tick {
		c.idle[stale].wake <- false
		stale++
	}
	c.idle = append(c.idle[:0], c.idle[stale:]...)
	c.tick++
	if c.live > 0 {
		c.janitor.Reset(idleTimeout)
	}
}
