// Package durabletest is the other side of a program's run for tests: a host that runs steps
// by a function, settles them in a random order that a seed decides, and keeps the journal.
package durabletest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/helve-dev/helve/internal/toolbox/js"
)

// Parent is a [js.BodyHost] of one run. Its fields are set before the run, and read after it.
type Parent struct {
	// Run returns the outcome of a step; nil echoes its arguments.
	Run func(js.Step) (json.RawMessage, *js.StepError)
	// Journal has the events of an earlier run, which are replayed first. The events of this
	// run are appended.
	Journal []js.Event
	// Batch is the number of events in one answer of the replay; 0 is all of them.
	Batch int
	// Seed decides the order in which open steps are settled; 0 is the order of the code.
	Seed uint64
	// NowMS is the time of the last event. Each later one is a second later, and a sleep
	// takes as long as it takes.
	NowMS int64
	// Stop, if set, is the error in place of the answer to a request for which Until
	// returns true.
	Stop  error
	Until func(js.NextRequest) bool

	Requests []json.RawMessage
	Steps    []js.Step
	Sleeps   []js.Sleep
	Logs     []js.LogLine
	Ended    bool
	Failed   int

	mu     sync.Mutex
	order  *rand.Rand
	open   []js.Event
	settle map[[2]int]bool
	given  int
}

// Do implements [js.Host].
func (p *Parent) Do(ctx context.Context, op js.Op, args json.RawMessage) (json.RawMessage, error) {
	a, err := p.Answer(ctx, js.Request{Op: op, Args: args})
	return a.Value, err
}

// Answer implements [js.BodyHost].
func (p *Parent) Answer(_ context.Context, req js.Request) (js.Answer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if req.Op != js.OpNext {
		return js.Answer{}, fmt.Errorf("a program used the operation %s", req.Op)
	}
	var q js.NextRequest
	if err := json.Unmarshal(req.Args, &q); err != nil {
		return js.Answer{}, err
	}
	p.note(req.Args, q)
	if p.Stop != nil && p.Until(q) {
		return js.Answer{}, p.Stop
	}
	answer := js.NextAnswer{Events: []js.Event{}}
	if !q.Ended {
		events, replay, err := p.next(q)
		if err != nil {
			return js.Answer{}, err
		}
		answer.Events, answer.Replay = append(answer.Events, events...), replay
	}
	raw, err := json.Marshal(answer)
	return js.Answer{Value: raw}, err
}

// Made returns the number of steps so far, also while a request is being answered: a run that is ended
// does not wait for its last one.
func (p *Parent) Made() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.Steps)
}

// note records a request.
func (p *Parent) note(raw json.RawMessage, q js.NextRequest) {
	if p.settle == nil {
		p.settle = map[[2]int]bool{}
		p.order = rand.New(rand.NewPCG(p.Seed, 1))
		for _, e := range p.Journal {
			p.settle[[2]int{e.Step, e.Sleep}] = true
			p.NowMS = max(p.NowMS, e.NowMS)
		}
	}
	p.Requests = append(p.Requests, slices.Clone(raw))
	p.Steps, p.Sleeps, p.Logs = append(p.Steps, q.Steps...), append(p.Sleeps, q.Sleeps...), append(p.Logs, q.Logs...)
	p.Ended, p.Failed = q.Ended, q.Failed
	for _, s := range q.Steps {
		if p.settle[[2]int{s.N, 0}] {
			continue
		}
		e := js.Event{Step: s.N, Value: s.Args}
		if p.Run != nil {
			e.Value, e.Error = p.Run(s)
		}
		p.open = append(p.open, e)
	}
	for _, s := range q.Sleeps {
		if !p.settle[[2]int{0, s.N}] {
			p.open = append(p.open, js.Event{Sleep: s.N, NowMS: s.UntilMS})
		}
	}
}

func (p *Parent) next(q js.NextRequest) (events []js.Event, replay bool, err error) {
	if left := len(p.Journal) - p.given; left > 0 {
		if p.Batch > 0 {
			left = min(left, p.Batch)
		}
		events = p.Journal[p.given : p.given+left]
		p.given += left
		return events, true, nil
	}
	if q.Unsettled > 0 {
		return nil, false, nil
	}
	if len(p.open) == 0 {
		return nil, false, errors.New("the program waits for nothing")
	}
	i := 0
	if p.Seed != 0 {
		i = p.order.IntN(len(p.open))
	}
	e := p.open[i]
	p.open = slices.Delete(p.open, i, i+1)
	p.NowMS = max(p.NowMS+1000, e.NowMS)
	e.NowMS = p.NowMS
	p.Journal = append(p.Journal, e)
	p.given++
	return []js.Event{e}, false, nil
}
