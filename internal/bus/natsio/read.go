package natsio

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/x/failpoint"
)

// ReadTimeout bounds one read of a stream.
const ReadTimeout = 3 * time.Second

// ErrNotStored means that nothing is stored under a subject.
var ErrNotStored = errors.New("not stored")

// Last returns the last message stored under subject, which may hold
// wildcards. With one replica the server's direct answer is the truth; with
// more a follower could return an older state than was acknowledged, so the leader
// is read.
func (c *Conn) Last(ctx context.Context, stream, subject string) (*nats.Msg, error) {
	if err := failpoint.Hit(failpoint.QueueRead); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if c.Apart() && !strings.ContainsRune(subject, '*') {
		return c.look(ctx, stream, subject)
	}
	ask, err := json.Marshal(map[string]string{"last_by_subj": subject})
	if err != nil {
		return nil, err
	}
	if c.opts.Replicas == 1 && !strings.ContainsRune(subject, '*') { // one subject can be permitted by itself
		return c.direct(ctx, &nats.Msg{Subject: c.API() + "DIRECT.GET." + stream + "." + subject})
	}
	return c.read(ctx, stream, ask)
}

// Next returns the first message stored under subject, which may hold wildcards,
// at the sequence number from or later.
func (c *Conn) Next(ctx context.Context, stream, subject string, from uint64) (*nats.Msg, error) {
	if err := failpoint.Hit(failpoint.QueueRead); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if c.Apart() {
		return c.lookNext(ctx, subject, from)
	}
	ask, err := json.Marshal(map[string]any{"seq": max(from, 1), "next_by_subj": subject})
	if err != nil {
		return nil, err
	}
	return c.read(ctx, stream, ask)
}

// At returns the message at a place in a stream.
func (c *Conn) At(ctx context.Context, stream string, seq uint64) (*nats.Msg, error) {
	if err := failpoint.Hit(failpoint.QueueRead); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	ask, err := json.Marshal(map[string]any{"seq": seq})
	if err != nil {
		return nil, err
	}
	return c.read(ctx, stream, ask)
}

// read requests the one message that ask describes.
func (c *Conn) read(ctx context.Context, stream string, ask []byte) (*nats.Msg, error) {
	if c.opts.Replicas > 1 {
		return c.fromLeader(ctx, stream, ask)
	}
	return c.direct(ctx, &nats.Msg{Subject: c.API() + "DIRECT.GET." + stream, Data: ask})
}

func (c *Conn) direct(ctx context.Context, ask *nats.Msg) (*nats.Msg, error) {
	reply, err := c.ask(ctx, ask)
	if err != nil {
		return nil, err
	}
	if isStored(reply) {
		reply.Subject = ServerHeader(reply, HeaderSubject)
		reply.Header.Set(HeaderSequence, ServerHeader(reply, HeaderSequence))
		return reply, nil
	}
	switch status := reply.Header.Get("Status"); status {
	case "404":
		return nil, ErrNotStored
	default:
		return nil, fmt.Errorf("%w: %s %s", ErrUnavailable, status, reply.Header.Get("Description"))
	}
}

// HeaderSequence is the place of a message in its stream and HeaderSubject the subject
// that it is stored under, in every direct answer and every republished message.
const (
	HeaderSequence = "Nats-Sequence"
	HeaderSubject  = "Nats-Subject"
)

// isStored reports whether a direct answer is a stored message. Its other headers are
// those it was stored with, which may be anything, a status among them.
func isStored(reply *nats.Msg) bool { return reply.Header.Get(HeaderSequence) != "" }

// Place returns the place of a stored message in its stream.
func Place(msg *nats.Msg) (uint64, error) {
	seq, err := strconv.ParseUint(ServerHeader(msg, HeaderSequence), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%w: unreadable sequence number", ErrUnavailable)
	}
	return seq, nil
}

// ServerHeader returns the value of a header that the server has added. A message may have
// been stored with the same header, which then comes first.
func ServerHeader(reply *nats.Msg, name string) string {
	values := reply.Header.Values(name)
	if len(values) == 0 {
		return ""
	}
	return values[len(values)-1]
}

func (c *Conn) fromLeader(ctx context.Context, stream string, ask []byte) (*nats.Msg, error) {
	return answered(ctx, c, "read stream "+stream, silent, func() (*nats.Msg, error) { return c.askLeader(ctx, stream, ask) })
}

func (c *Conn) askLeader(ctx context.Context, stream string, ask []byte) (*nats.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, ReadTimeout)
	defer cancel()
	reply, err := c.Request(ctx, &nats.Msg{Subject: c.API() + "STREAM.MSG.GET." + stream, Data: ask})
	if err != nil {
		return nil, err
	}
	var answer struct {
		Message struct {
			Subject string `json:"subject"`
			Seq     uint64 `json:"seq"`
			Data    []byte `json:"data"`
			Header  []byte `json:"hdrs"`
		} `json:"message"`
		Error *struct {
			Code        int    `json:"code"`
			Description string `json:"description"`
		} `json:"error"`
	}
	if err := json.Unmarshal(reply.Data, &answer); err != nil {
		return nil, fmt.Errorf("%w: unreadable answer: %w", ErrUnavailable, err)
	}
	if e := answer.Error; e != nil {
		if e.Code == http.StatusNotFound {
			return nil, ErrNotStored
		}
		if e.Code == http.StatusServiceUnavailable {
			return nil, fmt.Errorf("%w: %s: %w", ErrUnavailable, e.Description, errUnanswered)
		}
		return nil, fmt.Errorf("%w: %s", ErrUnavailable, e.Description)
	}
	msg := &nats.Msg{Subject: answer.Message.Subject, Data: answer.Message.Data}
	if len(answer.Message.Header) > 0 {
		if msg.Header, err = nats.DecodeHeadersMsg(answer.Message.Header); err != nil {
			return nil, fmt.Errorf("%w: unreadable header: %w", ErrUnavailable, err)
		}
	}
	if msg.Header == nil {
		msg.Header = nats.Header{}
	}
	msg.Header.Set(HeaderSequence, strconv.FormatUint(answer.Message.Seq, 10)) // as a direct answer has it
	return msg, nil
}

// ask requests a message of JetStream, as [Conn.Request] within [ReadTimeout].
func (c *Conn) ask(ctx context.Context, msg *nats.Msg) (*nats.Msg, error) {
	return answered(ctx, c, "read "+msg.Subject, silent, func() (*nats.Msg, error) {
		ctx, cancel := context.WithTimeout(ctx, ReadTimeout)
		defer cancel()
		return c.Request(ctx, msg)
	})
}

// Request sends msg and waits for one reply.
func (c *Conn) Request(ctx context.Context, msg *nats.Msg) (*nats.Msg, error) {
	return c.replies.Request(ctx, msg)
}

// Request sends msg and waits for one reply, on a subject of the mux.
func (m *ReplyMux) Request(ctx context.Context, msg *nats.Msg) (*nats.Msg, error) {
	until, ok := ctx.Deadline()
	if !ok {
		until = time.Now().Add(ReadTimeout)
	}
	got := make(chan *nats.Msg, 1)
	msg.Reply = m.Expect(until, func(reply *nats.Msg) { got <- reply })
	if err := m.nc.PublishMsg(msg); err != nil {
		m.Drop(msg.Reply, func() {})
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	select {
	case reply := <-got:
		if reply == nil || reply.Header.Get("Status") == "503" && !isStored(reply) {
			return nil, fmt.Errorf("%w: %w", ErrUnavailable, errUnanswered)
		}
		return reply, nil
	case <-ctx.Done():
		m.Drop(msg.Reply, func() {})
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, context.Cause(ctx))
	}
}
