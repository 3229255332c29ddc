package bus_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/bus/bustest"
)

func bucket(t *testing.T, b *bus.Bus) *bus.Bucket {
	t.Helper()
	k, err := b.Bucket(bustest.Context(t), bus.BucketCatalog)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestBucketGetPutDelete(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t))
	k, ctx := bucket(t, b), bustest.Context(t)
	if got, err := k.Get(ctx, "files.read"); got != nil || err != nil {
		t.Errorf("Get of nothing = %q, %v, want nil, nil", got, err)
	}
	for _, value := range []string{"one", "two"} {
		if err := k.Put(ctx, "files.read", []byte(value)); err != nil {
			t.Fatal(err)
		}
		if got, err := k.Get(ctx, "files.read"); err != nil || string(got) != value {
			t.Errorf("Get = %q, %v, want %s", got, err, value)
		}
	}
	for range 2 { // deleting what is gone is no error
		if err := k.Delete(ctx, "files.read"); err != nil {
			t.Errorf("Delete = %v", err)
		}
	}
	if got, err := k.Get(ctx, "files.read"); got != nil || err != nil {
		t.Errorf("Get after Delete = %q, %v, want nil, nil", got, err)
	}
}

func TestBucketLoadAndFollow(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t))
	k, ctx := bucket(t, b), bustest.Context(t)
	put := func(key, value string) {
		t.Helper()
		if err := k.Put(ctx, key, []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	put("a", "1")
	put("b", "1")
	put("a", "2")
	put("gone", "1")
	if err := k.Delete(ctx, "gone"); err != nil {
		t.Fatal(err)
	}
	loaded := map[string]string{}
	if err := k.Load(ctx, func(key string, value []byte) { loaded[key] = string(value) }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"a": "2", "b": "1"}, loaded); diff != "" {
		t.Errorf("Load (-want +got):\n%s", diff)
	}

	changes := make(chan string, 100)
	if err := k.Follow(ctx, func(key string, value []byte) {
		if value == nil {
			changes <- key + " deleted"
			return
		}
		changes <- fmt.Sprintf("%s=%s", key, value)
	}); err != nil {
		t.Fatal(err)
	}
	// All there is has been told when Follow returns.
	for _, want := range []string{"b=1", "a=2", "gone deleted"} {
		if len(changes) == 0 {
			t.Fatalf("Follow returned before it told %s", want)
		}
		if got := <-changes; got != want {
			t.Errorf("told %q, want %q", got, want)
		}
	}
	// One by one: of two changes of a key the first may be gone when it is told.
	expect := func(want string) {
		t.Helper()
		if got := bustest.Receive(t, changes, want); got != want {
			t.Errorf("followed %q, want %q", got, want)
		}
	}
	put("c", "1")
	expect("c=1")
	if err := k.Delete(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	expect("a deleted")
	put("a", "3")
	expect("a=3")
}

func TestFollowAnEmptyBucketAndEndIt(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t))
	if err := bucket(t, b).Follow(bustest.Context(t), func(string, []byte) {}); err != nil {
		t.Errorf("Follow of an empty bucket = %v, want nil at once", err)
	}
	if err := bucket(t, b).Load(bustest.Context(t), func(key string, _ []byte) { t.Errorf("told %q", key) }); err != nil {
		t.Errorf("Load of an empty bucket = %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := bucket(t, b).Follow(ended, func(string, []byte) {}); err == nil {
		t.Error("Follow with an ended context succeeded")
	}
}

func TestBucketErrors(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	b := bustest.Connect(t, srv)
	k := bucket(t, b)
	if _, err := b.Bucket(bustest.Context(t), "helve_nothing"); !errors.Is(err, bus.ErrUnavailable) {
		t.Errorf("Bucket(helve_nothing) = %v, want ErrUnavailable", err)
	}
	srv.Stop()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, get := k.Get(ctx, "a")
	for name, err := range map[string]error{"Put": k.Put(ctx, "a", nil), "Get": get, "Delete": k.Delete(ctx, "a")} {
		if !errors.Is(err, bus.ErrUnavailable) {
			t.Errorf("%s without a server = %v, want ErrUnavailable", name, err)
		}
	}
}
