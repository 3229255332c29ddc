package natsio

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// GetRevision returns the value of a key and its revision for [Bucket.PutAt]. The value is
// nil where the key has none; a key that was deleted or has expired keeps a revision.
func (k *Bucket) GetRevision(ctx context.Context, key string) (value []byte, revision uint64, err error) {
	name := k.kv.Bucket()
	msg, err := k.conn.Last(ctx, "KV_"+name, "$KV."+name+"."+key)
	if errors.Is(err, ErrNotStored) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	revision, err = strconv.ParseUint(ServerHeader(msg, HeaderSequence), 10, 64)
	if err != nil {
		return nil, 0, fmt.Errorf("%w: unreadable sequence number", ErrUnavailable)
	}
	if msg.Header.Get("KV-Operation") != "" || msg.Header.Get(jetstream.MarkerReasonHeader) != "" {
		return nil, revision, nil
	}
	return msg.Data, revision, nil
}

// PutAt stores a value for ttl if the key still has the revision, 0 for a key without
// any. ErrExists means that another process has changed it since.
func (k *Bucket) PutAt(ctx context.Context, key string, value []byte, revision uint64, ttl time.Duration) error {
	msg := &nats.Msg{Subject: "$KV." + k.kv.Bucket() + "." + key, Data: value}
	_, err := k.conn.js.PublishMsg(ctx, msg, jetstream.WithMsgTTL(ttl), jetstream.WithExpectLastSequencePerSubject(revision))
	if WrongSequence(err) {
		return ErrExists
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}

// putAttempts bounds the attempts of [Bucket.PutNext] while other writers are quicker.
const putAttempts = 10

// PutNext stores the value that next makes for the revision it will have. No value is
// stored at another revision than it was made for. An error of next is returned.
func (k *Bucket) PutNext(ctx context.Context, key string, next func(revision uint64) ([]byte, error)) error {
	name := k.kv.Bucket()
	for range putAttempts {
		stream, err := k.conn.js.Stream(ctx, BucketStream(name))
		if err != nil {
			return fmt.Errorf("%w: bucket %s: %w", ErrUnavailable, name, err)
		}
		last := stream.CachedInfo().State.LastSeq
		value, err := next(last + 1)
		if err != nil {
			return err
		}
		_, err = k.conn.js.PublishMsg(ctx, &nats.Msg{Subject: "$KV." + name + "." + key, Data: value}, jetstream.WithExpectLastSequence(last))
		if WrongSequence(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		return nil
	}
	return fmt.Errorf("%w: bucket %s: other writers were quicker %d times; try again", ErrUnavailable, name, putAttempts)
}

// DeleteAt removes a key that still has the revision, and reports whether it did.
func (k *Bucket) DeleteAt(ctx context.Context, key string, revision uint64) (bool, error) {
	err := k.kv.Delete(ctx, key, jetstream.LastRevision(revision))
	if WrongSequence(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return true, nil
}
