package bus

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/failpoint"
)

// readTimeout bounds one look at a stream.
const readTimeout = 3 * time.Second

// last returns the last message stored under subject, which may hold
// wildcards. With one replica the server's direct answer is the truth; with
// more a follower could answer with less than was acknowledged, so the leader
// is asked.
func (b *Bus) last(ctx context.Context, stream, subject string) (*nats.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	if err := failpoint.Hit(failpoint.BusRead); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	ask, err := json.Marshal(map[string]string{"last_by_subj": subject})
	if err != nil {
		return nil, err
	}
	if b.opts.Replicas > 1 {
		return b.lastFromLeader(ctx, stream, ask)
	}
	direct := &nats.Msg{Subject: "$JS.API.DIRECT.GET." + stream, Data: ask}
	if !strings.ContainsRune(subject, '*') { // one subject can be permitted by itself
		direct = &nats.Msg{Subject: direct.Subject + "." + subject}
	}
	reply, err := b.request(ctx, direct)
	if err != nil {
		return nil, err
	}
	switch status := reply.Header.Get("Status"); status {
	case "404":
		return nil, errNoRecord
	case "":
		reply.Subject = reply.Header.Get("Nats-Subject")
		return reply, nil
	default:
		return nil, fmt.Errorf("%w: %s %s", ErrUnavailable, status, reply.Header.Get("Description"))
	}
}

func (b *Bus) lastFromLeader(ctx context.Context, stream string, ask []byte) (*nats.Msg, error) {
	reply, err := b.request(ctx, &nats.Msg{Subject: "$JS.API.STREAM.MSG.GET." + stream, Data: ask})
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
			return nil, errNoRecord
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
	msg.Header.Set("Nats-Sequence", strconv.FormatUint(answer.Message.Seq, 10)) // as a direct answer has it
	return msg, nil
}

// request sends msg and waits for one reply.
func (b *Bus) request(ctx context.Context, msg *nats.Msg) (*nats.Msg, error) {
	until, ok := ctx.Deadline()
	if !ok {
		until = time.Now().Add(readTimeout)
	}
	got := make(chan *nats.Msg, 1)
	msg.Reply = b.acks.expect(until, func(m *nats.Msg) { got <- m })
	if err := b.nc.PublishMsg(msg); err != nil {
		b.acks.drop(msg.Reply, func() {})
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	select {
	case m := <-got:
		if m == nil || m.Header.Get("Status") == "503" {
			return nil, ErrUnavailable
		}
		return m, nil
	case <-ctx.Done():
		b.acks.drop(msg.Reply, func() {})
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, context.Cause(ctx))
	}
}
