package program

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/sandbox"
	"github.com/helve-dev/helve/tool"
)

// Sandbox runs code, as [sandbox.Pool] does.
type Sandbox interface {
	Run(ctx context.Context, j sandbox.Job) (json.RawMessage, error)
	Reserve(ctx context.Context, tenant, user string, depth int) (*sandbox.Slot, error)
}

// Dispatchers answers the requests of turns, as [peer.Programs] does.
type Dispatchers interface {
	Ask(ctx context.Context, r peer.ProgramRequest) (peer.ProgramAnswer, error)
}

// Programs runs the programs of a worker.
type Programs struct {
	Sandbox     Sandbox
	Dispatchers Dispatchers
}

// Reserve waits for a sandbox.
func (p *Programs) Reserve(ctx context.Context, call *tool.Call) (engine.Room, error) {
	return p.Sandbox.Reserve(ctx, call.Tenant, call.User, 0)
}

// For returns the port for a job, whose agent sees the tools of the catalogue.
func (p *Programs) For(j *engine.Job, c tool.Catalogue) tool.Durable { return &runner{p, j, c} }

// runner implements [tool.Durable] for one job.
type runner struct {
	*Programs
	job       *engine.Job
	catalogue tool.Catalogue
}

// Run implements [tool.Durable].
func (r *runner) Run(ctx context.Context, call *tool.Call, code tool.DurableCode) (tool.Result, error) {
	if r.job.Key == "" {
		return tool.Result{}, tool.Fail(tool.ValidationError,
			"'%s' is a program, which another call cannot make as a part of itself; call it directly", call.Tool)
	}
	t := &turn{runner: r, call: call}
	opened, err := t.ask(ctx, peer.ProgramRequest{Do: peer.ProgramOpen})
	switch {
	case err != nil:
		return tool.Result{}, err
	case opened.End != nil: // an earlier attempt has ended it, and its result was not stored
		return result(opened.End)
	}
	t.at, t.session = opened.At, opened.Session
	if opened.Kind != "" {
		return result(&peer.ProgramEnd{ErrorType: opened.Kind, Message: opened.Message})
	}
	if opened.Fresh {
		if err := r.check(ctx, call, code); err != nil {
			return t.end(ctx, nil, err)
		}
	}
	r.job.FreeSlot() // the steps may need it; a turn needs its sandbox only
	value, err := r.Sandbox.Run(ctx, job(call, code, &js.Durable{ID: call.ID, NowMS: opened.NowMS, Tool: code.Args}, t, !opened.Fresh))
	if over := t.over(); over != nil {
		return tool.Result{}, over
	}
	if ctx.Err() != nil {
		if err = interrupted(ctx, err); !isError(err) {
			return tool.Result{}, err
		}
	}
	return t.end(ctx, value, err)
}

func isError(err error) bool {
	_, ok := errors.AsType[*tool.Error](err)
	return ok
}

// interrupted returns how a program ends whose context has: it does not, unless it was cancelled
// or its time is over.
func interrupted(ctx context.Context, err error) error {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, engine.ErrCancelled):
		return tool.Fail(tool.Cancelled, "the program was cancelled").Because(err)
	case errors.Is(cause, context.DeadlineExceeded):
		return tool.Fail(tool.Timeout, "the program did not end in the time that it has").Because(err)
	default:
		return fmt.Errorf("%w: %w", engine.ErrRetry, cause)
	}
}

func job(call *tool.Call, code tool.DurableCode, d *js.Durable, host js.Host, replays bool) sandbox.Job {
	input := code.Input
	if len(input) == 0 {
		input = json.RawMessage("null")
	}
	return sandbox.Job{
		Tenant: call.Tenant, User: call.User, Name: "code", Code: code.Code, Args: input, Host: host, Durable: d, Replays: replays,
		Context: js.Context{ToolName: call.Tool, CallID: call.ID, ConversationID: call.Conversation, UserID: call.User},
	}
}

// turn is one run of the code, and its session at a dispatcher. It is the host of the code.
type turn struct {
	*runner
	call    *tool.Call
	at      string
	session uint64
	mu      sync.Mutex
	ended   error // the turn is over, and the program goes on elsewhere
}

func (t *turn) ask(ctx context.Context, r peer.ProgramRequest) (peer.ProgramAnswer, error) {
	r.Tenant, r.CallID, r.At, r.Session = t.call.Tenant, t.call.ID, t.at, t.session
	r.Key, r.Wake, r.Redelivered = t.job.Key, t.job.Wake, t.job.Redelivered
	a, err := t.Dispatchers.Ask(ctx, r)
	switch {
	case err != nil:
		return a, fmt.Errorf("%w: %w", engine.ErrRetry, err)
	case a.Again:
		return a, fmt.Errorf("%w: another turn of the program goes on", engine.ErrRetry)
	case a.Waits:
		return a, fmt.Errorf("%w: the program waits", engine.ErrParked)
	}
	return a, nil
}

// Do implements [js.Host]; Answer is called in its place.
func (t *turn) Do(context.Context, js.Op, json.RawMessage) (json.RawMessage, error) {
	return nil, tool.Fail(tool.Unsupported, "a program reaches the outside through its steps only")
}

// Answer implements [js.BodyHost]: it passes on what the code has made, and returns what it sees
// next.
func (t *turn) Answer(ctx context.Context, req js.Request) (js.Answer, error) {
	if req.Op != js.OpNext {
		value, err := t.Do(ctx, req.Op, req.Args)
		return js.Answer{Value: value}, err
	}
	a, err := t.ask(ctx, peer.ProgramRequest{Do: peer.ProgramNext, Next: req.Args, CPUMS: req.CPU.Milliseconds()})
	for err == nil && a.Idle {
		a, err = t.ask(ctx, peer.ProgramRequest{Do: peer.ProgramNext, Next: json.RawMessage("{}")})
	}
	switch {
	case err != nil && ctx.Err() != nil: // the program is cancelled, or its worker stops
		return js.Answer{}, context.Cause(ctx)
	case err != nil:
		t.leave(err)
		return js.Answer{}, err
	case a.Kind != "":
		return js.Answer{}, &tool.Error{Kind: tool.Kind(a.Kind), Msg: a.Message}
	}
	return js.Answer{Value: a.Events}, nil
}

// leave notes that the turn is over, because the program goes on elsewhere.
func (t *turn) leave(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended == nil {
		t.ended = err
	}
}

// over returns why the program goes on elsewhere, nil if it has ended here.
func (t *turn) over() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ended
}

// end stores the end of the program, and returns it.
func (t *turn) end(ctx context.Context, value json.RawMessage, err error) (tool.Result, error) {
	end := &peer.ProgramEnd{Result: value}
	if err != nil {
		failed := tool.AsError(err)
		end = &peer.ProgramEnd{ErrorType: string(failed.Kind), Message: failed.Msg}
	}
	a, err := t.ask(context.WithoutCancel(ctx), peer.ProgramRequest{Do: peer.ProgramClose, End: end})
	if err != nil {
		return tool.Result{}, err
	}
	if a.End == nil {
		return tool.Result{}, fmt.Errorf("%w: the dispatcher did not store the end of the program", engine.ErrRetry)
	}
	return result(a.End)
}

// result returns the end of a program as that of its call.
func result(end *peer.ProgramEnd) (tool.Result, error) {
	var meta map[string]any
	if len(end.Unfinished)+len(end.Unknown) > 0 {
		meta = map[string]any{"unfinished": orNone(end.Unfinished), "unknown": orNone(end.Unknown)}
	}
	if end.ErrorType != "" {
		return tool.Result{}, &tool.Error{Kind: tool.Kind(end.ErrorType), Msg: end.Message, Metadata: meta}
	}
	return tool.Result{Value: end.Result, Metadata: meta}, nil
}

func orNone(ids []string) []string {
	if ids == nil {
		return []string{}
	}
	return ids
}
