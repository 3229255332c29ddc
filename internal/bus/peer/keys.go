package peer

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/subject"
)

// Key is the subject on which a dispatcher is asked for a public key that it trusts.
func (s Subjects) Key(purpose, id string) string { return s.Of(subject.System, "key", purpose, id) }

// ServeKeys answers requests for the public keys of a purpose. Find returns a key, or nil
// for a key that this process does not trust; it then stays silent, since another
// dispatcher may know the key.
func (b *Keys) ServeKeys(purpose string, find func(id string) []byte) error {
	_, err := b.conn.NATS().Subscribe(b.subj.Key(purpose, "*"), func(msg *nats.Msg) {
		_, id := b.subj.TenantAndLast(msg.Subject)
		key := find(id)
		if key == nil {
			return
		}
		if err := b.conn.Answer(&nats.Msg{Subject: msg.Reply, Data: key}); err != nil {
			b.log.Warn("public key not sent", zap.Error(err))
		}
	})
	return err
}

// keyTimeout is the time in which dispatchers may answer for a key.
const keyTimeout = time.Second

// AskKey requests a public key from the dispatchers. It returns nil if none of them
// answered that it trusts the key, and an error if there are none.
//
// The answer comes to a subject that was generated for this request alone. Only dispatchers
// receive the request, so no other process can answer: a reply subject of the mux would be
// known to every process that shares this credential.
func (b *Keys) AskKey(ctx context.Context, purpose, id string) ([]byte, error) {
	if !subject.IsName(id) {
		return nil, fmt.Errorf("%.80q cannot be the id of a key", id)
	}
	ctx, cancel := context.WithTimeout(ctx, keyTimeout)
	defer cancel()
	prefix := b.conn.NATS().Opts.InboxPrefix
	if prefix == "" {
		prefix = "_INBOX"
	}
	inbox := prefix + "." + rand.Text()
	sub, err := b.conn.NATS().SubscribeSync(inbox)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", natsio.ErrUnavailable, err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	if err := b.conn.NATS().PublishMsg(&nats.Msg{Subject: b.subj.Key(purpose, id), Reply: inbox}); err != nil {
		return nil, fmt.Errorf("%w: %w", natsio.ErrUnavailable, err)
	}
	msg, err := sub.NextMsgWithContext(ctx)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%w: %w", natsio.ErrUnavailable, err)
	case msg.Header.Get("Status") != "":
		return nil, fmt.Errorf("%w: no dispatcher is there", natsio.ErrUnavailable)
	}
	return msg.Data, nil
}
