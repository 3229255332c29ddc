package peer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/x/gopool"
	"github.com/helve-dev/helve/tool"
)

const (
	// serveData bounds the requests about personal data that a worker serves at a time.
	serveData = 8
	// serveFiles bounds the requests about files.
	serveFiles = 32
)

// DataServer answers a request about personal data.
type DataServer func(ctx context.Context, r DataRequest, in io.Reader, out io.Writer) DataAnswer

// Serve answers the requests about personal data in a pool, until ctx ends.
func (b *Data) Serve(ctx context.Context, pool string, answer DataServer) error {
	return b.listen(ctx, b.subj.data("*", pool), make(chan struct{}, serveData), func(r *DataRequest) bool { return r.File == nil }, answer)
}

// ServeFiles answers the requests about files in a pool until ctx ends: those that any
// worker of the pool may answer, or with a lane those for the worker that has it.
func (b *Data) ServeFiles(ctx context.Context, pool, home string, answer DataServer) error {
	return b.listen(ctx, b.subj.files("*", pool, home), make(chan struct{}, serveFiles),
		func(r *DataRequest) bool { return r.File != nil }, answer)
}

// listen answers the requests on a subject that are of its kind.
func (b *Data) listen(ctx context.Context, subject string, slots chan struct{}, ours func(*DataRequest) bool, answer DataServer) error {
	sub, err := b.conn.NATS().QueueSubscribe(subject, QueueData, func(msg *nats.Msg) {
		var r DataRequest
		if json.Unmarshal(msg.Data, &r) != nil || !ours(&r) || !natsio.Asked(msg.Reply) {
			return
		}
		r.Tenant, _ = b.subj.TenantAndLast(msg.Subject)
		select {
		case slots <- struct{}{}:
		default:
			b.end(msg.Reply, DataAnswer{Refused: true})
			return
		}
		b.conn.Go(func() {
			defer func() { <-slots }()
			b.serve(ctx, msg.Reply, r, answer)
		})
	})
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, func() { _ = sub.Unsubscribe() })
	return nil
}

// serve holds one conversation.
func (b *Data) serve(ctx context.Context, to string, r DataRequest, answer DataServer) {
	ctx, cancel := context.WithCancelCause(ctx)
	t := &talk{data: b, ctx: ctx, gone: cancel, to: to}
	beats := make(chan struct{})
	b.conn.Go(func() {
		defer close(beats)
		t.beat()
	})
	var a DataAnswer
	if err := gopool.Catch(func() error { a = answer(ctx, r, t, writerOf(t)); return nil }); err != nil {
		b.log.Error("request about personal data crashed", zap.String("operation", string(r.Op)), zap.String("tenant", r.Tenant), zap.Error(err))
		a = DataAnswer{Kind: string(tool.ExecutionError), Message: "the request crashed on the worker; its log has the details"}
	}
	cancel(nil)
	<-beats
	if t.to != "" {
		b.end(t.to, a)
	}
}

func (b *Data) end(to string, a DataAnswer) {
	body, err := json.Marshal(a)
	if err == nil {
		err = b.conn.Answer(&nats.Msg{Subject: to, Header: nats.Header{headerStep: {stepEnd}}, Data: body})
	}
	if err != nil {
		b.log.Warn("dispatcher not answered", zap.Error(err))
	}
}

// talk is the worker's side of a conversation.
type talk struct {
	data *Data
	ctx  context.Context
	gone context.CancelCauseFunc

	mu sync.Mutex
	// to is where the other side waits; empty once it is gone.
	to   string
	last time.Time
	// input has the received bytes that were not read; ended is set with the last piece.
	input []byte
	ended bool
}

var errStopped = errors.New("the dispatcher gave the request up")

// turn sends a step and returns the reply. The caller holds mu.
func (t *talk) turn(step string, piece []byte) (*nats.Msg, error) {
	if err := context.Cause(t.ctx); err != nil {
		return nil, err
	}
	msg, err := t.data.say(t.ctx, &nats.Msg{Subject: t.to, Header: nats.Header{headerStep: {step}}, Data: piece})
	switch {
	case err != nil:
		err = fmt.Errorf("the dispatcher is gone: %w", err)
	case msg.Header.Get(headerStep) == stepStop:
		err = errStopped
	case !inbox(msg.Reply):
		err = errors.New("the message of a dispatcher has no reply subject")
	}
	if err != nil {
		t.to = ""
		t.gone(err)
		return nil, err
	}
	t.to, t.last = msg.Reply, time.Now()
	return msg, nil
}

// beat reports that the worker still works, until the context ends.
func (t *talk) beat() {
	tick := time.NewTicker(dataBeat)
	defer tick.Stop()
	for {
		select {
		case <-t.ctx.Done():
			return
		case <-tick.C:
		}
		t.mu.Lock()
		if time.Since(t.last) >= dataBeat/2 && t.ctx.Err() == nil {
			_, _ = t.turn(stepWorks, nil) // a failure ends the context
		}
		t.mu.Unlock()
	}
}

// Read implements [io.Reader] over the input of the dispatcher.
func (t *talk) Read(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.input) == 0 {
		if t.ended {
			return 0, io.EOF
		}
		msg, err := t.turn(stepRead, nil)
		if err != nil {
			return 0, err
		}
		t.input, t.ended = msg.Data, msg.Header.Get(headerStep) == stepEnd
	}
	n := copy(p, t.input)
	t.input = t.input[n:]
	return n, nil
}

// writerOf returns the output to the dispatcher.
func writerOf(t *talk) io.Writer { return talkWriter{t} }

type talkWriter struct{ *talk }

// Write implements [io.Writer]. It returns when the dispatcher has passed everything on.
func (w talkWriter) Write(p []byte) (n int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for n < len(p) {
		piece := p[n:min(n+dataPiece, len(p))]
		if _, err := w.turn(stepWrite, piece); err != nil {
			return n, err
		}
		n += len(piece)
	}
	return n, nil
}
