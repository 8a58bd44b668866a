package eptest

import (
	"errors"
	"regexp"
	"strings"

	"gort/ep"
)

var identityChecks = []check{
	{name: "name and device", raw: true, run: checkIdentity},
	{name: "unknown option", raw: true, run: checkUnknownOption},
	{name: "open and close without work", run: func(*subject) {}},
	{name: "closed", run: checkClosed},
	{name: "close with a live buffer", raw: true, run: checkCloseLive},
}

var snakeCase = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

func checkIdentity(x *subject) {
	name, device := x.p.Name(), x.p.Device()
	if !snakeCase.MatchString(name) {
		x.Errorf("Name is %q, want snake_case such as cpu_ep", name)
	}
	if device.Type == "" || device.ID < 0 {
		x.Errorf("Device is %v, want a type and an index", device)
	}
	same := func(when string, p ep.Provider) {
		if p.Name() != name || p.Device() != device {
			x.Errorf("%s the provider is %s on %v, before Open it was %s on %v", when, p.Name(), p.Device(), name, device)
		}
	}
	same("asked again", x.p)
	same("made again", x.newProvider())
	x.open(nil)
	same("after Open", x.p)
	b := x.alloc(8, 8)
	if b.Device() != device {
		x.Errorf("a buffer is on %v, the provider on %v", b.Device(), device)
	}
	x.close()
	same("after Close", x.p)
}

func checkUnknownOption(x *subject) {
	const key = "eptest.no_such_option"
	c := x.config
	c.Options = map[string]string{key: "1"}
	for k, v := range x.config.Options {
		c.Options[k] = v
	}
	err := x.p.Open(x.ctx, c)
	if err == nil {
		x.Errorf("Open accepts the option %s", key)
		x.close()
		return
	}
	x.want(err, ep.ErrUnknownOption, "Open with option %s", key)
	for _, k := range []string{key, x.limitKey} {
		if !strings.Contains(err.Error(), k) {
			x.Errorf("Open's error %q does not name %s: it has to name the unknown option and list the known ones", err, k)
		}
	}
}

func checkClosed(x *subject) {
	a, b := x.filled(8, 0), x.filled(8, 0)
	x.free(a)
	x.free(b)
	if err := x.p.Close(); err != nil {
		x.Errorf("Close: %v", err)
	}
	x.taken = nil
	live, spare := ep.BorrowMut(x.p.Device(), make([]byte, 8)), ep.Borrow(x.p.Device(), make([]byte, 8))
	_, err := x.p.Allocate(8, 8)
	x.want(err, ep.ErrClosed, "Allocate after Close")
	x.want(x.p.Copy(x.ctx, live, 0, spare, 0, 8), ep.ErrClosed, "Copy after Close")
	x.want(x.p.Sync(x.ctx), ep.ErrClosed, "Sync after Close")
	q := x.identityQuery()
	if m := x.p.Supports(q); m.Supported || m.Reason == "" {
		x.Errorf("Supports after Close answers %+v, want a decline with a reason", m)
	}
	_, err = x.p.Kernel(q)
	x.want(err, ep.ErrClosed, "Kernel after Close")
	if h, ok := x.p.(ep.HostTransfer); ok {
		x.want(h.Upload(x.ctx, live, 0, make([]byte, 8)), ep.ErrClosed, "Upload after Close")
		x.want(h.Download(x.ctx, make([]byte, 8), spare, 0), ep.ErrClosed, "Download after Close")
	}
	if c, ok := x.p.(ep.AsyncCopier); ok {
		_, err := c.CopyAsync(x.ctx, live, 0, spare, 0, 8)
		x.want(err, ep.ErrClosed, "CopyAsync after Close")
	}
	if g, ok := x.p.(ep.GraphCapturer); ok {
		_, err := g.NewDeviceGraph()
		x.want(err, ep.ErrClosed, "NewDeviceGraph after Close")
	}
	if err := x.p.Close(); err != nil && !errors.Is(err, ep.ErrClosed) {
		x.Errorf("Close after Close: %v, want nil or %q", err, ep.ErrClosed)
	}
	x.p = x.newProvider() // run closes what it finds here
	x.open(nil)
}

func checkCloseLive(x *subject) {
	x.open(nil)
	b := x.alloc(16, 8)
	err := x.p.Close()
	live := int64(0)
	if c, ok := x.p.(ep.AllocationCounter); ok {
		live = c.AllocationCounts().Live
	}
	if err == nil && live == 0 {
		x.Errorf("Close with a live buffer says nothing, and the counts show none")
	}
	if err := x.p.Free(b); err != nil && !errors.Is(err, ep.ErrClosed) {
		x.Errorf("Free after Close: %v, want nil or %q", err, ep.ErrClosed)
	}
}
