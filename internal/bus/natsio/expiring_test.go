package natsio_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
)

func TestKeysExpire(t *testing.T) {
	t.Parallel()
	q, ctx := queuetest.Connect(t, queuetest.Server(t)), queuetest.Context(t)
	k, err := q.Conn.Bucket(ctx, streams.BucketRemote)
	if err != nil {
		t.Fatal(err)
	}
	put := func() {
		t.Helper()
		if err := k.PutFor(ctx, "a.b.c", []byte("1"), time.Second); err != nil {
			t.Fatal(err)
		}
	}
	put()
	for _, ttl := range []time.Duration{time.Second, time.Hour} { // the last counts
		if err := k.PutFor(ctx, "a.b.d", []byte("2"), ttl); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.PutFor(ctx, "a.x.d", []byte("3"), time.Hour); err != nil {
		t.Fatal(err)
	}
	queuetest.Until(t, "the first key has expired", func() bool {
		got, err := k.Get(ctx, "a.b.c")
		return err == nil && got == nil
	})
	for pattern, want := range map[string][]string{"a.b.*": {"a.b.d"}, "a.*.d": {"a.b.d", "a.x.d"}, "b.*": nil} {
		if got, err := k.Keys(ctx, pattern); err != nil || cmp.Diff(want, got) != "" {
			t.Errorf("Keys(%s) = %q, %v, want %q", pattern, got, err, want)
		}
	}
	put()
	if err := k.Forget(ctx, "a.b.c"); err != nil {
		t.Fatal(err)
	}
	if got, err := k.Get(ctx, "a.b.c"); got != nil || err != nil {
		t.Errorf("Get after Forget = %q, %v", got, err)
	}
	put()
	_, revision, err := k.GetRevision(ctx, "a.b.c")
	if err != nil {
		t.Fatal(err)
	}
	if done, err := k.ForgetAt(ctx, "a.b.c", revision-1); done || err != nil {
		t.Errorf("ForgetAt of another revision = %v, %v", done, err)
	}
	if done, err := k.ForgetAt(ctx, "a.b.c", revision); !done || err != nil {
		t.Errorf("ForgetAt = %v, %v", done, err)
	}
	if got, err := k.Get(ctx, "a.b.c"); got != nil || err != nil {
		t.Errorf("Get after ForgetAt = %q, %v", got, err)
	}
}
