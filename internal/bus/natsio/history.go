package natsio

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go/jetstream"
)

// History calls have for the values that are kept of a key, the oldest first, and none from
// before it was last deleted. How many are kept is a setting of the bucket.
func (k *Bucket) History(ctx context.Context, key string, have func(value []byte)) error {
	stream, subject := BucketStream(k.kv.Bucket()), "$KV."+k.kv.Bucket()+"."+key
	for from := uint64(1); ; {
		msg, err := k.conn.Next(ctx, stream, subject, from)
		if errors.Is(err, ErrNotStored) {
			return nil
		}
		if err != nil {
			return err
		}
		if msg.Header.Get("KV-Operation") == "" && msg.Header.Get(jetstream.MarkerReasonHeader) == "" {
			have(msg.Data)
		}
		place, err := Place(msg)
		if err != nil {
			return err
		}
		from = place + 1
	}
}
