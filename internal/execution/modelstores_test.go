package execution

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// view is the model as one worker sees it. It implements the interfaces of the package and
// those of the engine.
type view struct {
	m *model
	n *node
}

// errUnencodable is the error of the result "unencodable".
var errUnencodable = errors.New("not encodable")

// encode returns a result or a record as JSON.
func (v view) encode(value any) ([]byte, error) { return json.Marshal(value) }

// Store implements [Results].
func (v view) Store(one Ended, done func(error)) {
	go func() {
		f := v.m.ask(v.n, "store")
		done(v.m.answer(f, func() error { return v.m.keep(one.Call.ID, one.Result, one.Record, true) }))
	}()
}

// GroupRoom implements [Groups].
func (view) GroupRoom() int64 { return math.MaxInt64 }

// StoreGroup implements [Groups].
func (v view) StoreGroup(id string, all []Ended, done func(error)) {
	go func() {
		f := v.m.ask(v.n, "group")
		done(v.m.answer(f, func() error {
			if v.m.groups[id] {
				return ErrExists
			}
			v.m.groups[id] = true
			for _, one := range all {
				_ = v.m.keep(one.Call.ID, one.Result, one.Record, false) // the server does not compare them
			}
			return nil
		}))
	}()
}

// answer carries out a request unless it is refused, and returns its answer.
func (m *model) answer(f fault, do func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if f == refused {
		return errLost
	}
	if err := do(); f == none {
		return err
	}
	return errLost
}

// keep stores a result. The server refuses a second result that is alone.
func (m *model) keep(id string, result, record []byte, single bool) error {
	r, c := modelResult{alone: single, at: time.Now()}, m.call(id)
	if err := errors.Join(json.Unmarshal(result, &r.Result), json.Unmarshal(record, &r.record)); err != nil {
		m.breaksf("a result without a record is stored: %s, %s: %v", result, record, err)
	}
	if single && slices.ContainsFunc(c.results, alone) {
		return ErrExists
	}
	c.results = append(c.results, r)
	return nil
}

// Find implements [Results].
func (v view) Find(_ context.Context, _, _, callID string) (*Stored, error) {
	if v.m.ask(v.n, "find") != none {
		return nil, errLost
	}
	v.m.mu.Lock()
	defer v.m.mu.Unlock()
	for _, r := range v.m.call(callID).results {
		if r.alone {
			return &Stored{r.Worker, r.Attempt}, nil
		}
	}
	return nil, nil
}

// Encode implements [Results].
func (v view) Encode(r *protocol.Result) ([]byte, error) {
	if string(r.Result) == `"unencodable"` {
		return nil, errUnencodable
	}
	return v.encode(r)
}

// StoreLarge implements [Results].
func (v view) StoreLarge(_ context.Context, _ *Call, name string, value []byte) (*protocol.ResultRef, error) {
	if v.m.ask(v.n, "large") == refused {
		return nil, errLost
	}
	return &protocol.ResultRef{Object: name, Size: int64(len(value))}, nil
}

// recordView implements [Records].
type recordView struct{ view }

// Encode implements [Records].
func (v recordView) Encode(r *protocol.AuditRecord) ([]byte, error) { return v.encode(r) }

// Send implements [Records].
func (v recordView) Send(r *protocol.AuditRecord, done func(error)) {
	go func() {
		f := v.m.ask(v.n, "record")
		done(v.m.answer(f, func() error {
			if v.m.shortage == Full {
				return ErrFull
			}
			v.m.call(r.CallID).started++
			return nil
		}))
	}()
}

// Summary implements [Records].
func (v recordView) Summary(result []byte) string { return string(result) }

// fenceView implements [Fences].
type fenceView struct{ view }

// Read implements [Fences].
func (v fenceView) Read(_ context.Context, _, callID string) (*call.Fence, error) {
	if v.m.ask(v.n, "read fence") != none {
		return nil, errLost
	}
	v.m.mu.Lock()
	defer v.m.mu.Unlock()
	return v.m.call(callID).fence, nil
}

// Write implements [Fences].
func (v fenceView) Write(_ context.Context, _, callID string, f call.Fence) (stored *call.Fence, err error) {
	ft := v.m.ask(v.n, "write fence")
	err = v.m.answer(ft, func() error {
		c := v.m.call(callID)
		if c.fence != nil {
			stored = c.fence
			return ErrExists
		}
		c.fence, stored = &f, &f
		return nil
	})
	return stored, err
}

// Elsewhere implements [Owners]. An answer may be lost.
func (v view) Elsewhere(_ context.Context, tenant, callID string) Ownership {
	if v.m.ask(v.n, "probe") != none {
		return NotElsewhere
	}
	v.m.mu.Lock()
	nodes, grouped := slices.Clone(v.m.nodes), slices.ContainsFunc(v.m.call(callID).results, func(r modelResult) bool { return !r.alone })
	v.m.mu.Unlock()
	for _, n := range nodes {
		if n != v.n && n.x.Find(tenant, callID) != nil {
			return RunningElsewhere
		}
	}
	if grouped {
		return FinishedElsewhere
	}
	<-time.After(150 * time.Millisecond)
	return NotElsewhere
}

// Publish implements [Events].
func (v view) Publish(_ time.Time, c *Call, kind string, _ []byte) {
	v.m.mu.Lock()
	defer v.m.mu.Unlock()
	v.m.events = append(v.m.events, kind)
	of := func(r modelResult) bool { return r.Worker == v.n.id && r.Attempt == c.Attempt }
	if kind == protocol.EventDone && !v.n.dead && !slices.ContainsFunc(v.m.call(c.ID).results, of) {
		v.m.breaksf("%s publishes the end of attempt %d, whose result is not stored", v.n.id, c.Attempt)
	}
}

// Shortage implements [Storage].
func (v view) Shortage() Shortage {
	v.m.mu.Lock()
	defer v.m.mu.Unlock()
	return v.m.shortage
}

// Lost implements [Owners].
func (v view) Lost(context.Context, *Call) ([]string, bool) { return v.m.lost, true }

// Home implements [Router].
func (v view) Home(_ context.Context, c *Call) (Home, bool, error) {
	if v.m.home == nil || v.m.homeErr != nil || c.Home == v.n.id {
		return Home{}, false, v.m.homeErr
	}
	return *v.m.home, true, nil
}

// Lane implements [Router].
func (v view) Lane(*Call) (string, bool, string) { return "able", true, "" }

// Commits implements [Router].
func (v view) Commits(*Call) bool { return v.m.entry != nil && v.m.entry.Tool.Transactional }

// Lookup implements [engine.Catalog].
func (v view) Lookup(string, string, string) (*engine.Entry, error) {
	if v.m.lacking == v.n {
		return nil, engine.ErrLacking
	}
	return v.m.entry, nil
}

// Allow implements [engine.Access].
func (v view) Allow(context.Context, *engine.Job) error { return nil }

// Authorize implements [engine.Policy].
func (v view) Authorize(_ context.Context, j *engine.Job) error {
	v.m.mu.Lock()
	defer v.m.mu.Unlock()
	if v.m.denying == v.n {
		return tool.Fail(tool.PermissionDenied, "denied")
	}
	if v.m.parks && !j.Granted {
		if v.n.dead {
			return errLost
		}
		v.m.call(j.ID).parked = true
		return engine.ErrParked
	}
	j.Decision.Outcome = protocol.OutcomeAllowed
	return nil
}

// Fill implements [engine.Ports].
func (v view) Fill(*engine.Job, tool.Needs) error { return nil }

// Record implements [engine.Recorder].
func (v view) Record(*engine.Job, *engine.Outcome) {}

// LoadArguments implements [Delivery].
func (d *modelDelivery) LoadArguments(context.Context) error {
	if d.n.m.ask(d.n, "load") != none {
		return errLost
	}
	return d.n.m.loadErr
}

// Release implements [Delivery].
func (d *modelDelivery) Release() {
	d.n.m.mu.Lock()
	defer d.n.m.mu.Unlock()
	if d.freed++; d.freed > 1 {
		d.n.m.breaksf("a slot was freed %d times", d.freed)
	}
}

// Ack implements [Delivery].
func (d *modelDelivery) Ack() {
	m := d.n.m
	f := none
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.calm {
		f = m.fault("ack")
	}
	if !d.over("acked") {
		return
	}
	if c := m.call(d.call.ID); len(c.results) == 0 && !c.parked {
		m.breaksf("%s took the call off the queue without a result", d.n.id)
	}
	d.msg.gone = d.msg.gone || f == none
}

// Leave implements [Delivery].
func (d *modelDelivery) Leave() { d.end("left") }

// Retry implements [Delivery].
func (d *modelDelivery) Retry(time.Duration) { d.end("returned") }

func (d *modelDelivery) end(how string) {
	d.n.m.mu.Lock()
	defer d.n.m.mu.Unlock()
	d.over(how)
}

// WaitLane implements [Delivery].
func (d *modelDelivery) WaitLane() string { return "wait" }

// Move implements [Delivery]. The copy and the acknowledgement are two writes.
func (d *modelDelivery) Move(lane string, done func(error)) {
	m := d.n.m
	go func() {
		f := m.ask(d.n, "move")
		done(m.answer(f, func() error {
			own := *d.call.Call
			e := d.call
			e.Call = &own
			e.Lane, e.Copy, e.Attempt, e.Received = lane, true, d.call.Attempt-1, time.Time{}
			e.Moves++
			m.queue = append(m.queue, &message{call: e})
			if f == none {
				d.over("moved")
				d.msg.gone = true
			}
			return nil
		}))
	}()
}
