package peer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/subject"
	"github.com/helve-dev/helve/internal/x/gopool"
)

// Programs passes the requests of a running program from its worker to a dispatcher. A turn
// opens a session at any dispatcher, and then speaks with that one.
type Programs struct{ *core }

// The requests of a turn. ProgramSaved comes before it: it reads the durable tool that the program
// began with.
const (
	ProgramSaved = "saved"
	ProgramOpen  = "open"
	ProgramNext  = "next"
	ProgramClose = "close"
)

// ProgramRequest is a request of a turn.
type ProgramRequest struct {
	// Tenant and At, the dispatcher with the session, are in the subject.
	Tenant string `json:"-"`
	At     string `json:"-"`
	Do     string `json:"do"`
	CallID string `json:"call_id"`
	// Key is that of the program, and Wake the one by which the turn runs. Redelivered is set
	// if an earlier turn of that wake may have been cut off.
	Key         string `json:"key"`
	Wake        int    `json:"wake,omitempty"`
	Redelivered bool   `json:"redelivered,omitempty"`
	// Session is the number of the session, from its opening.
	Session uint64 `json:"session,omitempty"`
	// Saved is the durable tool that a first turn begins with, a durable.Saved.
	Saved json.RawMessage `json:"saved,omitempty"`
	// CPUMS is the time that the code took since the last answer.
	CPUMS int64 `json:"cpu_ms,omitempty"`
	// Next is the request of the code, and End its end. The opening of a session may have one of
	// them, which is then answered in it.
	Next json.RawMessage `json:"next,omitempty"`
	End  *ProgramEnd     `json:"end,omitempty"`
}

// ProgramEnd is the end of a program: its result, or an error. An end that was closed already
// is that one.
type ProgramEnd struct {
	Result     json.RawMessage `json:"result,omitempty"`
	ErrorType  string          `json:"error_type,omitempty"`
	Message    string          `json:"message,omitempty"`
	Unfinished []string        `json:"unfinished,omitempty"`
	Unknown    []string        `json:"unknown,omitempty"`
}

// ProgramAnswer answers a request of a turn. One of its members is set, beside the first four.
type ProgramAnswer struct {
	// At and Session are those of a session that was opened; Fresh is set if the program has
	// made nothing yet, and NowMS is the time at which it began, in Unix milliseconds.
	At      string `json:"at,omitempty"`
	Session uint64 `json:"session,omitempty"`
	Fresh   bool   `json:"fresh,omitempty"`
	NowMS   int64  `json:"now,omitempty"`
	// Saved is the durable tool that the program began with, a durable.Saved; the answer to the
	// opening of a session has it, too.
	Saved json.RawMessage `json:"saved,omitempty"`
	// CodeID is the id that the code sees, empty for that of the call.
	CodeID string `json:"code_id,omitempty"`
	// Events is the answer for the code.
	Events json.RawMessage `json:"events,omitempty"`
	// Idle is set if there are no events yet: the same turn asks again.
	Idle bool `json:"idle,omitempty"`
	// Waits is set if the turn is over: the program waits as data.
	Waits bool `json:"waits,omitempty"`
	// Again is set if the turn is over and another one must look: this one was overtaken.
	Again bool `json:"again,omitempty"`
	// End is the end of the program.
	End *ProgramEnd `json:"end,omitempty"`
	// Kind and Message describe why the program must end; Kind is a [tool.Kind].
	Kind    string `json:"kind,omitempty"`
	Message string `json:"message,omitempty"`
}

const (
	// ProgramIdle is the time in which a dispatcher answers the request for the next events, also
	// if there are none; programNext is the time after which it is taken for dead.
	ProgramIdle = 3 * time.Second
	programNext = 10 * time.Second
	// programOpens is the number of dispatchers that are asked to open a session.
	programOpens = 5
	// programServe bounds the work of a dispatcher on a request, and programClose is the time
	// that its worker has for the end of a program, which waits for its steps.
	programServe = 30 * time.Second
	programClose = 35 * time.Second
	// anyDispatcher is in the place of the dispatcher in a request to open a session.
	anyDispatcher = "any"
)

// QueuePrograms is the queue group in which dispatchers receive requests to open a session.
const QueuePrograms = "helve-program"

// Ask sends a request of a turn. The error is [natsio.ErrUnavailable] if no dispatcher answers.
func (b *Programs) Ask(ctx context.Context, r ProgramRequest) (a ProgramAnswer, err error) {
	at := cmp.Or(r.At, anyDispatcher)
	if !subject.IsName(r.Tenant) || !subject.IsName(at) {
		return a, fmt.Errorf("%q is no place of a program", r.Tenant+"/"+at)
	}
	data, err := json.Marshal(r)
	if err != nil {
		return a, err
	}
	msg := &nats.Msg{Subject: b.subj.Of(r.Tenant, "program", at), Data: data}
	var reply *nats.Msg
	switch r.Do {
	case ProgramOpen, ProgramSaved:
		reply, err = b.open(ctx, r, msg)
	case ProgramNext:
		reply, err = b.request(ctx, msg, programNext)
	default:
		reply, err = b.request(ctx, msg, programClose)
	}
	if err != nil {
		return a, err
	}
	if err := json.Unmarshal(reply.Data, &a); err != nil {
		return a, fmt.Errorf("%w: answer about a program: %w", natsio.ErrUnavailable, err)
	}
	return a, nil
}

// open sends a request to open a session until a dispatcher answers. A dispatcher that did not
// answer in time may be stopped, or have begun: the next one must not think that the turn is the
// first.
func (b *Programs) open(ctx context.Context, r ProgramRequest, msg *nats.Msg) (reply *nats.Msg, err error) {
	within := programNext
	for tries := 0; tries < programOpens && ctx.Err() == nil; tries++ {
		if reply, err = b.request(ctx, msg, within); err == nil {
			return reply, nil
		}
		r.Redelivered = true
		msg.Subject = b.subj.Of(r.Tenant, "program", anyDispatcher)
		var encoded error
		if msg.Data, encoded = json.Marshal(r); encoded != nil {
			return nil, encoded
		}
	}
	return nil, err
}

func (b *Programs) request(ctx context.Context, msg *nats.Msg, within time.Duration) (*nats.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	return b.conn.Request(ctx, msg)
}

// Serve answers requests of turns until life ends.
func (b *Programs) Serve(life context.Context, answer func(context.Context, ProgramRequest) (ProgramAnswer, error)) error {
	handle := func(msg *nats.Msg) {
		tenant, tokens, ok := b.subj.Split(msg.Subject, 2)
		var r ProgramRequest
		if !ok || len(tokens) < 2 || !natsio.Asked(msg.Reply) || json.Unmarshal(msg.Data, &r) != nil {
			return
		}
		r.Tenant, r.At = tenant, tokens[1]
		b.conn.Go(func() { b.serve(life, msg, r, answer) })
	}
	shared, err := b.conn.NATS().QueueSubscribe(b.subj.Of("*", "program", anyDispatcher), QueuePrograms, handle)
	own, failed := b.conn.NATS().Subscribe(b.subj.Of("*", "program", b.conn.ID()), handle)
	if err := errors.Join(err, failed); err != nil {
		return err
	}
	context.AfterFunc(life, func() { _, _ = shared.Unsubscribe(), own.Unsubscribe() }) // the connection may be closed
	return nil
}

func (b *Programs) serve(
	life context.Context, msg *nats.Msg, r ProgramRequest, answer func(context.Context, ProgramRequest) (ProgramAnswer, error),
) {
	ctx, cancel := context.WithTimeout(life, programServe)
	defer cancel()
	var data []byte
	err := gopool.Catch(func() error {
		a, err := answer(ctx, r)
		if err != nil {
			return err
		}
		data, err = json.Marshal(a)
		return err
	})
	if err != nil {
		b.log.Warn("turn of a program not served; it is taken up again", zap.String("call_id", r.CallID), zap.Error(err))
		data = []byte(`{"again":true}`)
	}
	if err := b.conn.Answer(&nats.Msg{Subject: msg.Reply, Data: data}); err != nil {
		b.log.Warn("turn of a program not answered", zap.String("call_id", r.CallID), zap.Error(err))
	}
}
