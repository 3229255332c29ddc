package inside

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/helve-dev/helve/internal/js"
	"github.com/helve-dev/helve/internal/sandbox/wire"
	"github.com/helve-dev/helve/tool"
)

// host is the [js.Host] in a child: it asks the pool.
type host struct {
	out   *wire.Writer
	inbox *inbox

	mu      sync.Mutex
	run     uint64 // 0 between two
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

// end has the run ask for nothing more; the pool would end a child that did.
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
		turn <- a // has room
	}
}

// Do asks the pool and waits for its answer. There is none to a log line.
func (h *host) Do(ctx context.Context, op js.Op, args json.RawMessage) (json.RawMessage, error) {
	turn, err := h.ask(ctx, op, args)
	if err != nil {
		return nil, err
	}
	if op == js.OpLog {
		return json.RawMessage("null"), nil
	}
	select {
	case a := <-turn:
		if a.Error != nil {
			return nil, &tool.Error{Kind: a.Error.Kind, Msg: a.Error.Message}
		}
		return a.Value, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (h *host) ask(ctx context.Context, op js.Op, args json.RawMessage) (chan *wire.Answer, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.run == 0 || ctx.Err() != nil {
		return nil, context.Canceled
	}
	h.asked++
	if err := h.out.Write(wire.Frame{Ask: &wire.Ask{Run: h.run, ID: h.asked, Op: op, Args: args}}); err != nil {
		return nil, tool.Fail(tool.ExecutionError, "what the script sends is too large; send less than %d MB", wire.Max>>20).Because(err)
	}
	if op == js.OpLog {
		return nil, nil
	}
	turn := make(chan *wire.Answer, 1)
	h.answers[h.asked] = turn
	h.inbox.listen(h.answered)
	return turn, nil
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
