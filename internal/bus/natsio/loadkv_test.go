package natsio_test

import (
	"fmt"
	"testing"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

// TestLoadWhileReplaced: a key that is replaced again and again is in every load, and in each
// once.
func TestLoadWhileReplaced(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	k, ctx := bucket(t, q), queuetest.Context(t)
	keys := []string{"a.a", "a.b", "a.c", "a.d"}
	for _, key := range keys {
		if err := k.Put(ctx, key, []byte("first")); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.Delete(ctx, "a.d"); err != nil {
		t.Fatal(err)
	}
	stop := putting(t, k, func(int) string { return "a.b" })
	for i := range 300 {
		times := map[string]int{}
		if err := k.LoadBelow(ctx, "a", func(key string, _ []byte) { times[key]++ }); err != nil {
			t.Fatal(err)
		}
		if len(times) != 3 || times["a.a"] != 1 || times["a.b"] != 1 || times["a.c"] != 1 {
			t.Fatalf("load %d has the keys %v, want a.a, a.b and a.c once each", i, times)
		}
	}
	stop()
}

// TestLoadWhileKeysAppear: a load ends although other processes write new keys all the time.
func TestLoadWhileKeysAppear(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	k, ctx := bucket(t, q), queuetest.Context(t)
	if err := k.Put(ctx, "first", nil); err != nil {
		t.Fatal(err)
	}
	stop := putting(t, k, func(i int) string { return fmt.Sprintf("new-%d", i) })
	for i := range 20 {
		found := false
		if err := k.Load(ctx, func(key string, _ []byte) { found = found || key == "first" }); err != nil {
			t.Fatalf("load %d: %v", i, err)
		}
		if !found {
			t.Fatalf("load %d lacks the key that was there", i)
		}
	}
	stop()
}

// putting writes keys one after the other until stop is called.
func putting(t *testing.T, k *natsio.Bucket, key func(i int) string) (stop func()) {
	t.Helper()
	ctx := queuetest.Context(t)
	ended, stopped := make(chan struct{}), make(chan error, 1)
	go func() {
		for i := 0; ; i++ {
			select {
			case <-ended:
				stopped <- nil
				return
			default:
			}
			if err := k.Put(ctx, key(i), fmt.Append(nil, i)); err != nil {
				stopped <- err
				return
			}
		}
	}()
	return func() {
		t.Helper()
		close(ended)
		if err := <-stopped; err != nil {
			t.Fatal(err)
		}
	}
}
