package results

import (
	"context"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/call"
)

// Awaiting waits for the result of one call. It is for one goroutine.
type Awaiting struct {
	// C receives what [Awaiting.Read] reads, when there is a result.
	C chan []byte
	// Consents receives the id of the consent that the call waits for.
	Consents chan string

	results *Results
	call    *call.Call
	ref     Ref
	stage   stage
	looks   int
}

// stage is the knowledge about a result that was not received.
type stage uint8

const (
	// expected: C receives it.
	expected stage = iota
	// missed: it may be stored already.
	missed
	// stored: it is stored, and must be read.
	stored
)

// Await begins to wait for the result of a call. It must come before the call is queued, or
// the result could be missed. Forget ends it.
func (r *Results) Await(c *call.Call) *Awaiting {
	a := &Awaiting{C: make(chan []byte, 2), Consents: make(chan string, 1), results: r, call: c, ref: Of(c)}
	r.inbox.Expect(c.Tenant, c.ID, c.Tool, c.Pool, c.Owner(), a.C, a.Consents)
	return a
}

// Forget ends the wait.
func (a *Awaiting) Forget() { a.results.inbox.Forget(a.call.Tenant, a.call.ID, a.C) }

// Ref returns the ref of the call.
func (a *Awaiting) Ref() Ref { return a.ref }

// Copied notes that another process may have queued the call too, so that the first result
// that arrives may not be its first, and may be in a group.
func (a *Awaiting) Copied() {
	a.ref.single = false
	a.results.inbox.Move(a.call.Tenant, a.call.ID, a.call.Pool, a.C)
}

// Join waits for a call that another process has accepted, whose result that process
// receives, until leave is called.
func (a *Awaiting) Join(rec *queue.Acceptance) (leave func(), err error) {
	a.results.inbox.Move(a.call.Tenant, a.call.ID, rec.Pool, a.C)
	leave, err = a.results.inbox.Follow(a.call.Tenant, rec.Origin, a.call.ID)
	a.ref = Accepted(a.call.Tenant, a.call.ID, rec)
	a.call.Grouped = a.call.Grouped && !rec.Lone
	a.stage = missed
	return leave, err
}

// Read returns the result that C has received; nil if it cannot be read yet, as [Awaiting.Look]
// will.
func (a *Awaiting) Read(ctx context.Context, got []byte) []byte {
	if got != nil {
		return got
	}
	a.stage = stored
	element, _ := a.Look(ctx, false)
	return element
}

const (
	// lookEvery is the interval of looks, in case the message with the result was lost with a
	// connection.
	lookEvery = 5 * time.Second
	// lookMissed is the same for a result that may be stored and was not received.
	// Every lookIndex-th look asks the index too.
	lookMissed = 250 * time.Millisecond
	lookIndex  = 6
)

// Pause returns the time until the next look.
func (a *Awaiting) Pause() time.Duration {
	if a.stage == expected {
		return lookEvery
	}
	return lookMissed
}

// Look returns the stored result of the call, nil if there is none. Late is set for a call that
// should have ended.
func (a *Awaiting) Look(ctx context.Context, late bool) ([]byte, error) {
	a.looks++
	d := told
	switch {
	case a.stage == stored:
		d = everywhere
	case a.stage == missed || late || a.looks%lookIndex == 0:
		d = indexed
	}
	found, err := a.results.find(ctx, a.ref, d)
	if err == nil && a.stage == missed {
		a.stage = expected
	}
	if found == nil || err != nil {
		return nil, err
	}
	return found.Element, nil
}
