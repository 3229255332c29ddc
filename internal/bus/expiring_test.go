package bus_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/bus/bustest"
)

func TestKeysExpire(t *testing.T) {
	t.Parallel()
	b, ctx := bustest.Connect(t, bustest.Server(t)), bustest.Context(t)
	k, err := b.Bucket(ctx, bus.BucketDocuments)
	if err != nil {
		t.Fatal(err)
	}
	create := func(key string, want bool) {
		t.Helper()
		if got, err := k.CreateFor(ctx, key, []byte("1"), time.Second); got != want || err != nil {
			t.Fatalf("CreateFor(%s) = %v, %v, want %v", key, got, err, want)
		}
	}
	create("a.b.c", true)
	create("a.b.c", false)
	for _, ttl := range []time.Duration{time.Second, time.Hour} { // the last counts
		if err := k.PutFor(ctx, "a.b.d", []byte("2"), ttl); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.PutFor(ctx, "a.x.d", []byte("3"), time.Hour); err != nil {
		t.Fatal(err)
	}
	bustest.Until(t, "the first key has expired", func() bool {
		got, err := k.Get(ctx, "a.b.c")
		return err == nil && got == nil
	})
	for pattern, want := range map[string][]string{"a.b.*": {"a.b.d"}, "a.*.d": {"a.b.d", "a.x.d"}, "b.*": nil} {
		if got, err := k.Keys(ctx, pattern); err != nil || cmp.Diff(want, got) != "" {
			t.Errorf("Keys(%s) = %q, %v, want %q", pattern, got, err, want)
		}
	}
	create("a.b.c", true)
	if err := k.Forget(ctx, "a.b.c"); err != nil {
		t.Fatal(err)
	}
	if got, err := k.Get(ctx, "a.b.c"); got != nil || err != nil {
		t.Errorf("Get after Forget = %q, %v", got, err)
	}
	create("a.b.c", true)
}
