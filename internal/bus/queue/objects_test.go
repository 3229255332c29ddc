package queue_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/protocol"
)

func TestLargeResultRoundTrip(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	worker, dispatcher := queuetest.Connect(t, srv), queuetest.Connect(t, srv)
	ctx := queuetest.Context(t)
	value := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	ref, err := worker.Results.StoreResult(ctx, "acme", "c", "w-1.1", value)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(value)
	if ref.Size != int64(len(value)) || ref.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("ref = %+v, want size %d and the value's hash", ref, len(value))
	}
	other, err := worker.Results.StoreResult(ctx, "acme", "c", "w-2.2", []byte("other"))
	if err != nil {
		t.Fatal(err)
	}
	if other.Object == ref.Object {
		t.Errorf("two attempts share the object %q, want one each", ref.Object)
	}
	r, err := dispatcher.Results.OpenResult(ctx, ref)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	got, err := io.ReadAll(r)
	if err != nil || !bytes.Equal(got, value) {
		t.Errorf("read %d bytes, %v, want the %d that were stored", len(got), err, len(value))
	}
}

func TestOpenResultThatIsGone(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	if _, err := q.Results.OpenResult(queuetest.Context(t), &protocol.ResultRef{Object: "acme/c/none"}); !errors.Is(err, natsio.ErrNoObject) {
		t.Errorf("OpenResult of nothing = %v, want ErrNoObject", err)
	}
}

func TestStoreArgumentsMovesThem(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	e := &call.Call{ID: "c", Tenant: "acme", Arguments: jsontext.Value(`{"a":1}`)}
	if err := q.Calls.StoreArguments(queuetest.Context(t), e); err != nil {
		t.Fatal(err)
	}
	if len(e.Arguments) != 0 || e.ArgumentsRef == "" {
		t.Errorf("envelope has arguments %s and reference %q, want only a reference", e.Arguments, e.ArgumentsRef)
	}
}

func TestStoresFailClearlyWithoutNATS(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	q := queuetest.Connect(t, srv)
	srv.Stop()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := q.Results.StoreResult(ctx, "acme", "c", "1", []byte("x")); !errors.Is(err, natsio.ErrUnavailable) {
		t.Errorf("StoreResult = %v, want ErrUnavailable", err)
	}
	if err := q.Calls.StoreArguments(ctx, &call.Call{ID: "c", Tenant: "acme"}); !errors.Is(err, natsio.ErrUnavailable) {
		t.Errorf("StoreArguments = %v, want ErrUnavailable", err)
	}
	if _, err := q.Results.OpenResult(ctx, &protocol.ResultRef{Object: "x"}); !errors.Is(err, natsio.ErrUnavailable) {
		t.Errorf("OpenResult = %v, want ErrUnavailable", err)
	}
}
