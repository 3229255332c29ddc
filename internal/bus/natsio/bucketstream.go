package natsio

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// BucketSpec is a bucket to be made.
type BucketSpec struct {
	Name string
	// TTL is the time values are kept, 0 for without end; KeyTTL means that each key has
	// a time of its own.
	TTL    time.Duration
	KeyTTL bool
	// History is the number of values that are kept of each key, its present one among them;
	// 0 means 1.
	History int64
}

// BucketStream returns the name of the stream of a bucket.
func BucketStream(bucket string) string { return "KV_" + bucket }

// ObjectStream returns the name of the stream of an object store.
func ObjectStream(store string) string { return "OBJ_" + store }

// duplicates is the duplicate window that the client library gives to buckets.
const duplicates = 2 * time.Minute

// Stream returns the stream of a bucket with so many replicas, as the client library makes
// it. A longer TTL that it has already is kept.
func (s BucketSpec) Stream(replicas int) Stream {
	cfg := jetstream.StreamConfig{
		Name: BucketStream(s.Name), Subjects: []string{"$KV." + s.Name + ".>"}, Storage: jetstream.FileStorage, Replicas: replicas,
		MaxMsgsPerSubject: max(s.History, 1), MaxAge: s.TTL, MaxBytes: -1, MaxMsgs: -1, MaxMsgSize: -1, MaxConsumers: -1,
		Discard: jetstream.DiscardNew, DenyDelete: true, AllowRollup: true, AllowDirect: true, Duplicates: window(s.TTL),
	}
	if s.KeyTTL {
		cfg.AllowMsgTTL, cfg.SubjectDeleteMarkerTTL = true, markerTTL
	}
	return lasting(cfg)
}

// Bucket makes or changes a bucket.
func (t Topology) Bucket(ctx context.Context, s BucketSpec) error {
	return t.Stream(ctx, s.Stream(t.Conn.opts.Replicas))
}

// ObjectsStream returns the stream of an object store, as the client library makes it. A
// longer ttl that it has already is kept.
func ObjectsStream(name string, ttl time.Duration, replicas int) Stream {
	return lasting(jetstream.StreamConfig{
		Name: ObjectStream(name), Subjects: []string{"$O." + name + ".C.>", "$O." + name + ".M.>"}, Storage: jetstream.FileStorage,
		Replicas: replicas, MaxAge: ttl, MaxBytes: -1, Discard: jetstream.DiscardNew, AllowRollup: true, AllowDirect: true,
		Duplicates: window(ttl),
	})
}

func window(ttl time.Duration) time.Duration {
	if ttl > 0 {
		return min(ttl, duplicates)
	}
	return duplicates
}

// lasting returns the stream of a configuration that never shortens the time values are
// kept.
func lasting(cfg jetstream.StreamConfig) Stream {
	return Stream{StreamConfig: cfg, Adapt: func(is jetstream.StreamConfig) jetstream.StreamConfig {
		adapted := cfg
		if cfg.MaxAge > 0 {
			adapted.MaxAge = max(cfg.MaxAge, is.MaxAge)
		}
		return adapted
	}}
}
