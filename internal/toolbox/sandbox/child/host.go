package child

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/sandbox/wire"
	"github.com/helve-dev/helve/tool"
)

// host is the [js.Host] in a child: it sends requests to the pool.
type host struct {
	out   *wire.Writer
	inbox *inbox
	watch *watchdog

	mu      sync.Mutex
	run     uint64 // 0 between two runs
	asked   uint64
	answers map[uint64]chan *wire.Answer
}

func newHost(out *wire.Writer, in *inbox) *host {
	return &host{out: out, inbox: in, answers: map[uint64]chan *wire.Answer{}}
}

func (h *host) begin(run uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.run = run
}

// end makes the run's further requests fail; the pool would end a child that sent any.
func (h *host) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.run = 0
	clear(h.answers)
}

func (h *host) answered(a *wire.Answer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if turn := h.answers[a.Ask]; turn != nil {
		delete(h.answers, a.Ask)
		turn <- a // it has room
	}
}

// Do sends a request to the pool and waits for its answer, whose body it drops. A log line
// has no answer.
func (h *host) Do(ctx context.Context, op js.Op, args json.RawMessage) (json.RawMessage, error) {
	a, err := h.Answer(ctx, js.Request{Op: op, Args: args})
	return a.Value, err
}

// Answer implements [js.BodyHost], as Do implements [js.Host].
func (h *host) Answer(ctx context.Context, req js.Request) (js.Answer, error) {
	if req.Op == js.OpNext || req.Op == js.OpUses {
		return h.next(ctx, req)
	}
	turn, err := h.ask(ctx, req)
	if err != nil {
		return js.Answer{}, err
	}
	if req.Op == js.OpLog {
		return js.Answer{Value: json.RawMessage("null")}, nil
	}
	select {
	case a := <-turn:
		return given(a)
	case <-ctx.Done():
		return js.Answer{}, context.Cause(ctx)
	}
}

func given(a *wire.Answer) (js.Answer, error) {
	if a.Error != nil {
		return js.Answer{}, &tool.Error{Kind: a.Error.Kind, Msg: a.Error.Message}
	}
	return js.Answer{Value: a.Value, Body: a.Body}, nil
}

// next sends a request of a program and reads its answer. A program has no other requests, and
// nothing of it runs meanwhile, which may be long.
func (h *host) next(ctx context.Context, req js.Request) (js.Answer, error) {
	if ctx.Err() != nil {
		return js.Answer{}, context.Cause(ctx)
	}
	h.asked++
	if err := h.send(&wire.Ask{Run: h.run, ID: h.asked, Op: req.Op, Args: req.Args}); err != nil {
		return js.Answer{}, err
	}
	h.watch.rest()
	defer h.watch.goOn()
	a, err := h.inbox.answer(h.asked)
	if err != nil { // the pool has ended
		return js.Answer{}, err
	}
	return given(a)
}

// ask sends a request. It returns the channel of the answer, which is nil for a log line.
func (h *host) ask(ctx context.Context, req js.Request) (chan *wire.Answer, error) {
	a, turn, err := h.expect(ctx, req)
	if err != nil {
		return nil, err
	}
	// Without the lock: the pool may be sending answers, and reads nothing until they are
	// written.
	if err := h.send(a); err != nil {
		h.forget(a.ID)
		return nil, err
	}
	return turn, nil
}

func (h *host) send(a *wire.Ask) error {
	if err := h.out.Write(wire.Frame{Ask: a}); err != nil {
		return tool.Fail(tool.ExecutionError, "what the script sends is too large; send less than %d MB", wire.Max>>20).Because(err)
	}
	return nil
}

// expect assigns a number to a request, and registers a channel for its answer.
func (h *host) expect(ctx context.Context, req js.Request) (*wire.Ask, chan *wire.Answer, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.run == 0 || ctx.Err() != nil {
		return nil, nil, context.Canceled
	}
	h.asked++
	a := &wire.Ask{Run: h.run, ID: h.asked, Op: req.Op, Args: req.Args}
	if len(req.Body) > 0 {
		a.Body = req.Body
	}
	if req.Op == js.OpLog {
		return a, nil, nil
	}
	turn := make(chan *wire.Answer, 1)
	h.answers[h.asked] = turn
	h.inbox.listen(h.answered)
	return a, turn, nil
}

func (h *host) forget(ask uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.answers, ask)
}

// lib reads a shared library.
func (h *host) lib(ctx context.Context, name string) (*js.Program, error) {
	asked, err := json.Marshal(name)
	if err != nil {
		return nil, err
	}
	raw, err := h.Do(ctx, js.OpLib, asked)
	if err != nil {
		return nil, err
	}
	var source string
	if err := json.Unmarshal(raw, &source); err != nil {
		return nil, err
	}
	return js.CompileLib(name+".js", source)
}
