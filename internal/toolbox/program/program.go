package program

import (
	"cmp"
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
	saved, err := r.saved(code)
	if err != nil {
		return tool.Result{}, err
	}
	id, now, fresh := call.ID, r.job.Accepted.UnixMilli(), true
	// The first turn of a program whose code is in its call opens its session with its first request.
	if saved != nil || r.job.Wake > 0 || r.job.Redelivered || r.job.RerunOf != "" {
		opened, err := t.ask(ctx, peer.ProgramRequest{Do: peer.ProgramOpen, Saved: saved})
		switch {
		case err != nil:
			return tool.Result{}, err
		case opened.End != nil: // an earlier attempt has ended it, and its result was not stored
			return result(opened.End)
		case opened.Kind != "":
			return result(&peer.ProgramEnd{ErrorType: opened.Kind, Message: opened.Message})
		}
		if err := begunWith(&code, opened.Saved); err != nil {
			return tool.Result{}, err
		}
		id, now, fresh = cmp.Or(opened.CodeID, call.ID), opened.NowMS, opened.Fresh
	}
	t.tools = code.Tools
	r.job.FreeSlot() // the steps may need it; a turn needs its sandbox only
	began := &js.Durable{ID: id, NowMS: now, Zone: r.job.Timezone, Tool: code.Args}
	value, err := r.Sandbox.Run(ctx, job(call, code, began, t, fresh))
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

func job(call *tool.Call, code tool.DurableCode, d *js.Durable, host js.Host, fresh bool) sandbox.Job {
	input := code.Input
	if len(input) == 0 {
		input = json.RawMessage("null")
	}
	return sandbox.Job{
		Tenant: call.Tenant, User: call.User, Name: "code", Code: code.Code, Args: input, Host: host, Durable: d,
		Uses: fresh, Replays: !fresh,
		Context: js.Context{ToolName: call.Tool, CallID: call.ID, ConversationID: call.Conversation, UserID: call.User},
	}
}

// turn is one run of the code, and its session at a dispatcher. It is the host of the code.
type turn struct {
	*runner
	call  *tool.Call
	tools []string // that the code may call, nil for all

	mu      sync.Mutex // held while the session is opened
	at      string
	session uint64 // 0 before it is opened
	asked   bool   // a request to open it was made

	overMu sync.Mutex
	ended  error // the turn is over, and the program goes on elsewhere
}

// ask sends a request to the session. The first one opens it.
func (t *turn) ask(ctx context.Context, r peer.ProgramRequest) (peer.ProgramAnswer, error) {
	r.Tenant, r.CallID, r.Key, r.Wake = t.call.Tenant, t.call.ID, t.job.Key, t.job.Wake
	t.mu.Lock()
	if t.session == 0 {
		defer t.mu.Unlock()
		r.Do, r.Redelivered = peer.ProgramOpen, t.job.Redelivered || t.asked
		t.asked = true
		a, err := t.send(context.WithoutCancel(ctx), r) // a session that was opened must be known
		t.at, t.session = a.At, a.Session
		return a, err
	}
	r.At, r.Session = t.at, t.session
	t.mu.Unlock()
	return t.send(ctx, r)
}

func (t *turn) send(ctx context.Context, r peer.ProgramRequest) (peer.ProgramAnswer, error) {
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
	switch req.Op {
	case js.OpUses:
		return js.Answer{}, t.check(req.Args)
	case js.OpNext:
	default:
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
	case err == nil && a.End != nil:
		err = fmt.Errorf("%w: the program has ended before", engine.ErrRetry)
		fallthrough
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
	t.overMu.Lock()
	defer t.overMu.Unlock()
	if t.ended == nil {
		t.ended = err
	}
}

// over returns why the program goes on elsewhere, nil if it has ended here.
func (t *turn) over() error {
	t.overMu.Lock()
	defer t.overMu.Unlock()
	return t.ended
}

// cancelTries bounds the requests that end a program which was cancelled.
const cancelTries = 3

func (t *turn) leaveSession() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.at, t.session = "", 0
}

// end stores the end of the program, and returns it.
func (t *turn) end(ctx context.Context, value json.RawMessage, err error) (tool.Result, error) {
	end := &peer.ProgramEnd{Result: value}
	if err != nil {
		failed := tool.AsError(err)
		end = &peer.ProgramEnd{ErrorType: string(failed.Kind), Message: failed.Msg}
	}
	a, err := t.ask(context.WithoutCancel(ctx), peer.ProgramRequest{Do: peer.ProgramClose, End: end})
	for tries := 1; err != nil && end.ErrorType == string(tool.Cancelled) && tries < cancelTries; tries++ {
		t.leaveSession() // by way of another one: the code must have no further turn
		a, err = t.ask(context.WithoutCancel(ctx), peer.ProgramRequest{Do: peer.ProgramClose, End: end})
	}
	if err != nil {
		return tool.Result{}, err
	}
	if a.Kind != "" { // there is nothing to end
		return result(&peer.ProgramEnd{ErrorType: a.Kind, Message: a.Message})
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
