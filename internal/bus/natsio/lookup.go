package natsio

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/subject"
)

// Processes apart read the streams of calls only by way of a process that is not.

// wordLook begins the tokens of a request for a stored message. The tokens of the
// subject that the message is stored under follow.
const wordLook = "look"

// Lookup are the streams that a process reads for processes apart, by the first token of
// the subjects stored in them.
type Lookup struct {
	// Last are read for the last message under a subject. Next are read for the first
	// message with an id in the last token, from a place on.
	Last, Next map[string]string
}

// ServeLookups answers processes apart, as one of a queue group.
func ServeLookups(c *Conn, group string, l Lookup) error {
	_, err := c.nc.QueueSubscribe(c.tree.Of("*", wordLook, ">"), group, func(msg *nats.Msg) {
		tenant, tokens, ok := c.tree.Split(msg.Subject, 3)
		if !ok || len(tokens) < 3 {
			return
		}
		c.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), ReadTimeout)
			defer cancel()
			found, err := c.lookup(ctx, l, tenant, tokens[1], tokens[2])
			answer := &nats.Msg{Subject: msg.Reply, Header: nats.Header{}}
			switch {
			case errors.Is(err, ErrNotStored):
				answer.Header.Set("Status", "404")
			case err != nil:
				c.log.Warn("record not read for a worker", zap.String("subject", msg.Subject), zap.Error(err))
				return // the worker asks again
			default:
				answer.Data = found.Data
				answer.Header.Set(HeaderSequence, found.Header.Get(HeaderSequence))
			}
			if err := c.Answer(answer); err != nil {
				c.log.Warn("lookup not answered", zap.Error(err))
			}
		})
	})
	return err
}

// lookup reads the message that a process apart requested.
func (c *Conn) lookup(ctx context.Context, l Lookup, tenant, word, rest string) (*nats.Msg, error) {
	if stream := l.Last[word]; stream != "" {
		return c.Last(ctx, stream, c.tree.Of(tenant, word, rest))
	}
	id, from, _ := strings.Cut(rest, ".")
	seq, err := strconv.ParseUint(from, 10, 64)
	stream := l.Next[word]
	if stream == "" || err != nil || !subject.IsCallID(id) {
		return nil, ErrNotStored
	}
	return c.Next(ctx, stream, c.tree.Of(tenant, word, "*", id), seq)
}

// lookNext requests the first message whose subject ends in the id of a subject, from a
// place on.
func (c *Conn) lookNext(ctx context.Context, subject string, from uint64) (*nats.Msg, error) {
	tenant, tokens, _ := c.tree.Split(subject, 2)
	_, id := c.tree.TenantAndLast(subject)
	return c.looked(ctx, c.tree.Of(tenant, wordLook, tokens[0], id, strconv.FormatUint(from, 10)))
}

// look requests the last message under a subject. Keys of buckets are read directly: a
// process is permitted those that it needs.
func (c *Conn) look(ctx context.Context, stream, subject string) (*nats.Msg, error) {
	if strings.HasPrefix(subject, "$KV.") {
		return c.direct(ctx, &nats.Msg{Subject: c.API() + "DIRECT.GET." + stream + "." + subject})
	}
	tenant, rest, _ := c.tree.Cut(subject)
	return c.looked(ctx, c.tree.Of(tenant, wordLook, rest))
}

// looked returns the message that a process answers with.
func (c *Conn) looked(ctx context.Context, subject string) (*nats.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, ReadTimeout)
	defer cancel()
	reply, err := c.Request(ctx, &nats.Msg{Subject: subject})
	if err != nil {
		return nil, err
	}
	if reply.Header.Get("Status") == "404" {
		return nil, ErrNotStored
	}
	return reply, nil
}

// Answer sends the reply to a request. It sends nothing to subjects below the prefix or
// of NATS itself: the requester chooses the reply subject, and must not have this process,
// which may publish to nearly any subject, publish there.
func (c *Conn) Answer(msg *nats.Msg) error {
	if msg.Subject == "" || strings.HasPrefix(msg.Subject, c.tree.Prefix()+".") || strings.HasPrefix(msg.Subject, "$") {
		return nil
	}
	return c.nc.PublishMsg(msg)
}

// Asked reports whether a message with this reply subject is the request of a client.
// JetStream can be made to publish a stored message to any subject of the account; such
// a message has no reply subject, or one of JetStream's own.
func Asked(reply string) bool { return reply != "" && !strings.HasPrefix(reply, "$") }
