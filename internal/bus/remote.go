package bus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
)

// Remote is where a call of a tool goes that runs in a process of its own.
func (s Subjects) Remote(tenant, tool string) string { return s.of(tenant, "remote", tool) }

// QueueRemote is the queue group of those that run a tool.
const QueueRemote = "helve-remote"

// HeaderEvents names the subject on which whoever runs a call tells its progress.
const HeaderEvents = "Helve-Events"

var (
	// ErrNobody means that nobody listens for calls of the tool: nothing was done.
	ErrNobody = errors.New("nobody listens")
	// ErrTooLarge means that a message is more than the server takes: nothing was sent.
	ErrTooLarge = errors.New("the message is larger than the server takes")
)

// RemoteCall is a call on its way to a process that runs the tool.
type RemoteCall struct {
	Tenant, CallID, Tool string
	// Traceparent is the W3C header of that name; it may be empty.
	Traceparent string
	// Body is JSON.
	Body []byte
	// Progress, where set, is given what the process tells before it answers. It
	// must be quick, and is not called any more once Ask has returned.
	Progress func(data []byte)
}

// lastWord is how long after the end of a call its process may still answer: one
// that heard of the cancellation may say how it ended.
const lastWord = 30 * time.Millisecond

// forever is longer than any call.
const forever = 1000 * time.Hour

// AskRemote sends a call to one of the processes that run its tool and returns the
// first answer. Any other, and one that comes after ctx has ended, is dropped. Where
// the error is neither ErrNobody nor ErrTooLarge the call may have been carried out.
func (b *Bus) AskRemote(ctx context.Context, call RemoteCall) ([]byte, error) {
	answer := make(chan *nats.Msg, 1)
	msg := nats.NewMsg(b.subj.Remote(call.Tenant, call.Tool))
	msg.Data = call.Body
	msg.Reply = b.acks.expect(time.Now().Add(forever), func(m *nats.Msg) { answer <- m })
	defer b.acks.drop(msg.Reply, func() {})
	if call.Traceparent != "" {
		msg.Header["traceparent"] = []string{call.Traceparent} // NATS keeps the case, W3C wants this one
	}
	if b.progress != nil && call.Progress != nil {
		subject, end := b.progress.expect(b, call.Tenant, call.Progress)
		defer end()
		msg.Header.Set(HeaderEvents, subject)
	}
	switch err := b.nc.PublishMsg(msg); {
	case errors.Is(err, nats.ErrMaxPayload):
		return nil, ErrTooLarge
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	m, err := await(ctx, answer)
	switch {
	case err != nil:
		return nil, err
	case m == nil:
		return nil, fmt.Errorf("%w: the connection was closed", ErrUnavailable)
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
