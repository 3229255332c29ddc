package natsio_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
)

func bucket(t *testing.T, q *queue.Queue) *natsio.Bucket {
	t.Helper()
	k, err := q.Conn.Bucket(queuetest.Context(t), streams.BucketCatalog)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestBucketGetPutDelete(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	k, ctx := bucket(t, q), queuetest.Context(t)
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
	q := queuetest.Connect(t, queuetest.Server(t))
	k, ctx := bucket(t, q), queuetest.Context(t)
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
		if got := queuetest.Receive(t, changes, want); got != want {
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
	q := queuetest.Connect(t, queuetest.Server(t))
	if err := bucket(t, q).Follow(queuetest.Context(t), func(string, []byte) {}); err != nil {
		t.Errorf("Follow of an empty bucket = %v, want nil at once", err)
	}
	if err := bucket(t, q).Load(queuetest.Context(t), func(key string, _ []byte) { t.Errorf("told %q", key) }); err != nil {
		t.Errorf("Load of an empty bucket = %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := bucket(t, q).Follow(ended, func(string, []byte) {}); err == nil {
		t.Error("Follow with an ended context succeeded")
	}
}

func TestBucketErrors(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	q := queuetest.Connect(t, srv)
	k := bucket(t, q)
	if _, err := q.Conn.Bucket(queuetest.Context(t), "helve_nothing"); !errors.Is(err, natsio.ErrUnavailable) {
		t.Errorf("Bucket(helve_nothing) = %v, want ErrUnavailable", err)
	}
	srv.Stop()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, get := k.Get(ctx, "a")
	for name, err := range map[string]error{"Put": k.Put(ctx, "a", nil), "Get": get, "Delete": k.Delete(ctx, "a")} {
		if !errors.Is(err, natsio.ErrUnavailable) {
			t.Errorf("%s without a server = %v, want ErrUnavailable", name, err)
		}
	}
}

func TestBucketCreateAndReplace(t *testing.T) {
	t.Parallel()
	q, ctx := queuetest.Connect(t, queuetest.Server(t)), queuetest.Context(t)
	k, err := q.Conn.Bucket(ctx, streams.BucketAsks)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Replace(ctx, "a.b", []byte("old"), []byte("new")); !errors.Is(err, natsio.ErrExists) {
		t.Errorf("Replace of nothing = %v, want ErrExists", err)
	}
	if err := k.Create(ctx, "a.b", []byte("1")); err != nil {
		t.Fatal(err)
	}
	if err := k.Create(ctx, "a.b", []byte("2")); !errors.Is(err, natsio.ErrExists) {
		t.Errorf("Create of what is there = %v, want ErrExists", err)
	}
	if err := k.Replace(ctx, "a.b", []byte("2"), []byte("3")); !errors.Is(err, natsio.ErrExists) {
		t.Errorf("Replace of another value = %v, want ErrExists", err)
	}
	if err := k.Replace(ctx, "a.b", []byte("1"), []byte("3")); err != nil {
		t.Errorf("Replace = %v", err)
	}
	if err := k.Put(ctx, "c.d", []byte("4")); err != nil {
		t.Fatal(err)
	}
	var found []string
	if err := k.LoadBelow(ctx, "a", func(key string, value []byte) { found = append(found, key+"="+string(value)) }); err != nil ||
		len(found) != 1 || found[0] != "a.b=3" {
		t.Errorf("LoadBelow = %q, %v, want what lies below a", found, err)
	}
}

func TestBucketHistory(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	ctx := queuetest.Context(t)
	k, err := q.Conn.Bucket(ctx, streams.BucketCustom) // which keeps ten
	if err != nil {
		t.Fatal(err)
	}
	history := func() (all []string) {
		t.Helper()
		if err := k.History(ctx, "a.b", func(value []byte) { all = append(all, string(value)) }); err != nil {
			t.Fatal(err)
		}
		return all
	}
	if got := history(); got != nil {
		t.Errorf("the history of nothing is %q", got)
	}
	for i := range 12 {
		if err := k.Put(ctx, "a.b", fmt.Append(nil, i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.Put(ctx, "a.c", []byte("another")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"2", "3", "4", "5", "6", "7", "8", "9", "10", "11"}, history()); diff != "" {
		t.Errorf("the history (-want +got):\n%s", diff)
	}
	if err := k.Delete(ctx, "a.b"); err != nil {
		t.Fatal(err)
	}
	if got := history(); got != nil {
		t.Errorf("the history of a deleted key is %q", got)
	}
	if err := k.Create(ctx, "a.b", []byte("new")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"new"}, history()); diff != "" {
		t.Errorf("the history of a key that was made again (-want +got):\n%s", diff)
	}
}
