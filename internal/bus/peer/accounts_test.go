package peer_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

// TestAccounts: one dispatcher gets a request with what is in its subject, a request for no
// account is made to none, and without dispatchers there is no answer.
func TestAccounts(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	one, two, worker := queuetest.Connect(t, srv), queuetest.Connect(t, srv), queuetest.Connect(t, srv)
	r := peer.AccountRequest{Tenant: "acme", User: "ann", Service: "cloud", Refused: "00ff"}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if a, err := worker.Accounts.Ask(ctx, r); !errors.Is(err, natsio.ErrUnavailable) {
		t.Errorf("Ask without dispatchers = %+v, %v", a, err)
	}
	var asked atomic.Int64
	life, end := context.WithCancel(t.Context())
	for i, q := range []*queue.Queue{one, two} {
		err := q.Accounts.Serve(life, func(_ context.Context, got peer.AccountRequest) peer.AccountAnswer {
			asked.Add(1)
			return peer.AccountAnswer{Value: []byte(fmt.Sprint(got)), Page: fmt.Sprint(i)}
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := q.Conn.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for range 10 {
		if a, err := worker.Accounts.Ask(queuetest.Context(t), r); err != nil || string(a.Value) != fmt.Sprint(r) {
			t.Fatalf("Ask = %+v, %v", a, err)
		}
	}
	if n := asked.Load(); n < 10 || n >= 20 { // a request that is answered late is sent again
		t.Errorf("%d requests were received for 10, want each by one dispatcher", n)
	}
	for _, bad := range []peer.AccountRequest{
		{User: "ann", Service: "cloud"}, {Tenant: "acme", Service: "cloud"}, {Tenant: "acme", User: "a.b", Service: "cloud"},
		{Tenant: "acme", User: "ann", Service: "*"},
	} {
		if a, err := worker.Accounts.Ask(queuetest.Context(t), bad); err == nil {
			t.Errorf("Ask(%+v) = %+v", bad, a)
		}
	}
	end()
	queuetest.Until(t, "the dispatchers serve no longer", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		_, err := worker.Accounts.Ask(ctx, r)
		return errors.Is(err, natsio.ErrUnavailable)
	})
}
