package peer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/natsio"
)

// Remote is the subject for a call of a tool that runs in a remote process.
func (s Subjects) Remote(tenant, tool string) string { return s.Of(tenant, "remote", tool) }

// QueueRemote is the queue group of the processes that run a tool.
const QueueRemote = "helve-remote"

// HeaderEvents names the subject on which the process that runs a call reports its
// progress.
const HeaderEvents = "Helve-Events"

var (
	// ErrNobody means that no process listens for calls of the tool: nothing was done.
	ErrNobody = errors.New("nobody listens")
	// ErrTooLarge means that a message is more than the server takes: nothing was sent.
	ErrTooLarge = errors.New("the message is larger than the server takes")
)

// RemoteCall is a call for a process that runs the tool.
type RemoteCall struct {
	Tenant, CallID, Tool string
	// Traceparent is the W3C header of that name; it may be empty.
	Traceparent string
	// Body is JSON.
	Body []byte
	// Progress, if set, receives the messages that the process sends before its answer. It
	// must be quick, and is not called after Ask has returned.
	Progress func(data []byte)
}

// lastWord is the time after the end of a call in which its process may still answer: a
// process that received the cancellation may report how it ended.
const lastWord = 30 * time.Millisecond

// forever is longer than any call.
const forever = 1000 * time.Hour

// AskRemote sends a call to one of the processes that run its tool and returns the first
// answer. Any other, and an answer after ctx has ended, is dropped. If the error is neither
// ErrNobody nor ErrTooLarge the call may have been carried out.
func (b *Remote) AskRemote(ctx context.Context, call RemoteCall) ([]byte, error) {
	answer := make(chan *nats.Msg, 1)
	msg := nats.NewMsg(b.subj.Remote(call.Tenant, call.Tool))
	msg.Data = call.Body
	msg.Reply = b.conn.Replies().Expect(time.Now().Add(forever), func(m *nats.Msg) { answer <- m })
	defer b.conn.Replies().Drop(msg.Reply, func() {})
	if call.Traceparent != "" {
		msg.Header["traceparent"] = []string{call.Traceparent} // NATS keeps the case, W3C wants this one
	}
	if b.progress != nil && call.Progress != nil {
		subject, end := b.progress.expect(b.core, call.Tenant, call.Progress)
		defer end()
		msg.Header.Set(HeaderEvents, subject)
	}
	switch err := b.conn.NATS().PublishMsg(msg); {
	case errors.Is(err, nats.ErrMaxPayload):
		return nil, ErrTooLarge
	case err != nil:
		return nil, fmt.Errorf("%w: %w", natsio.ErrUnavailable, err)
	}
	m, err := await(ctx, answer)
	switch {
	case err != nil:
		return nil, err
	case m == nil:
		return nil, fmt.Errorf("%w: the connection was closed", natsio.ErrUnavailable)
	case len(m.Data) == 0 && m.Header.Get("Status") == "503":
		return nil, ErrNobody
	}
	return m.Data, nil
}

func await(ctx context.Context, answer <-chan *nats.Msg) (*nats.Msg, error) {
	select {
	case m := <-answer:
		return m, nil
	case <-ctx.Done():
	}
	last := time.NewTimer(lastWord)
	defer last.Stop()
	select {
	case m := <-answer:
		return m, nil
	case <-last.C:
		return nil, ctx.Err()
	}
}
