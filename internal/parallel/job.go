package parallel

import (
	"runtime"
	"sync/atomic"
	"time"
)

// spinFor bounds how long a worker looks for the next range, and a caller for
// the end of the last chunk, before it parks. It spans the serial gap between
// two operators and the tail of a chunk; it is too short to be seen as load.
const spinFor = 50 * time.Microsecond

// job is one range being worked on. Jobs are recycled: after retire nobody
// holds a reference.
type job struct {
	pool   *Pool
	body   func(lo, hi int)
	done   <-chan struct{}
	n      int
	chunks int

	// Guarded by crew.mu: workers still wanted, and the list of jobs that
	// want any.
	want       int
	prev, next *job

	_ [64]byte // the cursor is written by all threads: keep it on a line of its own

	cursor atomic.Int64

	_ [64]byte

	// active counts the caller and the workers inside. Whoever takes it to
	// zero ends the job; a worker that does so tells the caller on finished.
	active   atomic.Int32
	stopped  atomic.Bool
	fault    atomic.Pointer[Panic]
	finished chan struct{}
}

// work takes chunks until none is left. A panic of the body ends up in
// j.fault.
func (j *job) work(caller bool) {
	complete := false
	defer func() {
		if complete {
			return
		}
		j.cursor.Store(int64(j.chunks))
		if v := recover(); v != nil {
			j.fault.CompareAndSwap(nil, newPanic(v))
		} else if !caller {
			j.fault.CompareAndSwap(nil, newPanic(errGoexit))
		}
	}()
	for {
		i := int(j.cursor.Add(1)) - 1
		if i >= j.chunks {
			break
		}
		if isDone(j.done) {
			j.stopped.Store(true)
			j.cursor.Store(int64(j.chunks))
			break
		}
		j.body(cut(j.n, j.chunks, i), cut(j.n, j.chunks, i+1))
	}
	complete = true
}

// leave is called by a worker when it has found no more chunks. It is the
// worker's last touch of j.
func (j *job) leave() {
	j.pool.helpers.Add(-1)
	finished := j.finished
	if j.active.Add(-1) == 0 {
		finished <- struct{}{}
	}
}

// await blocks the caller until the last worker has left.
func (j *job) await() {
	spinUntil(func() bool { return j.active.Load() == 0 })
	<-j.finished
}

// spinUntil polls ok for at most spinFor and reports whether it came true. It
// yields to other goroutines of the process now and then.
func spinUntil(ok func() bool) bool {
	start := time.Now()
	for {
		for range 64 {
			if ok() {
				return true
			}
		}
		runtime.Gosched()
		if time.Since(start) > spinFor {
			return ok()
		}
	}
}
