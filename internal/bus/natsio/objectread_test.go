package natsio_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
)

// objects returns the store of large results, and other access to the server.
func objects(t *testing.T) (*natsio.Objects, jetstream.JetStream) {
	t.Helper()
	srv := queuetest.Server(t)
	q := queuetest.Connect(t, srv)
	store, err := natsio.Topology{Conn: q.Conn}.Objects(queuetest.Context(t), streams.ObjectsResults)
	if err != nil {
		t.Fatal(err)
	}
	nc, err := nats.Connect(srv.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return store, js
}

// dropParts deletes the parts of all objects, and keeps their descriptions.
func dropParts(t *testing.T, js jetstream.JetStream) {
	t.Helper()
	stream, err := js.Stream(queuetest.Context(t), "OBJ_"+streams.ObjectsResults)
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.Purge(queuetest.Context(t), jetstream.WithPurgeSubject("$O.*.C.>")); err != nil {
		t.Fatal(err)
	}
}

// noise returns n bytes of which no two parts are alike.
func noise(n int) []byte {
	value := make([]byte, 0, n+sha256.Size)
	for sum := sha256.Sum256(nil); len(value) < n; sum = sha256.Sum256(sum[:]) {
		value = append(value, sum[:]...)
	}
	return value[:n]
}

func TestObjects(t *testing.T) {
	t.Parallel()
	store, _ := objects(t)
	ctx := queuetest.Context(t)
	for _, n := range []int{0, 1, 128 << 10, 4<<20 - 1, 4 << 20, 9<<20 + 7} {
		want := noise(n)
		if err := store.Put(ctx, "o", want); err != nil {
			t.Fatal(err)
		}
		if got, err := store.Get(ctx, "o"); err != nil || !bytes.Equal(got, want) {
			t.Errorf("Get of %d bytes = %d bytes, %v", n, len(got), err)
		}
		r, err := store.Open(ctx, "o")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, want) {
			t.Errorf("Open of %d bytes reads %d bytes, %v", n, len(got), err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if n, err := r.Read(make([]byte, 1)); n != 0 || err == nil {
			t.Errorf("a read after Close = %d, %v, want an error", n, err)
		}
	}
	if _, err := store.Open(ctx, "none"); !errors.Is(err, natsio.ErrNoObject) {
		t.Errorf("Open of nothing = %v, want ErrNoObject", err)
	}
}

// TestObjectReadByPages: a reader has one page in memory, so what is deleted meanwhile is an
// error and not a short value.
func TestObjectReadByPages(t *testing.T) {
	t.Parallel()
	store, js := objects(t)
	ctx := queuetest.Context(t)
	if err := store.Put(ctx, "o", noise(9<<20)); err != nil {
		t.Fatal(err)
	}
	r, err := store.Open(ctx, "o")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	dropParts(t, js)
	rest, err := io.ReadAll(r)
	if !errors.Is(err, natsio.ErrUnavailable) || len(rest) == 0 || len(rest) > 5<<20 {
		t.Errorf("the rest = %d bytes, %v; want one page and ErrUnavailable", len(rest), err)
	}
}

// TestObjectAltered: an altered value is an error.
func TestObjectAltered(t *testing.T) {
	t.Parallel()
	store, js := objects(t)
	ctx := queuetest.Context(t)
	if err := store.Put(ctx, "o", []byte("abc")); err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(ctx, "OBJ_"+streams.ObjectsResults)
	if err != nil {
		t.Fatal(err)
	}
	part, err := stream.GetMsg(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	dropParts(t, js)
	if _, err := js.Publish(ctx, part.Subject, []byte("abd")); err != nil {
		t.Fatal(err)
	}
	if got, err := store.Get(ctx, "o"); !errors.Is(err, natsio.ErrUnavailable) {
		t.Errorf("Get = %q, %v, want ErrUnavailable", got, err)
	}
}
