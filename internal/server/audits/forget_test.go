package audits

import (
	"context"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/audit/index"
	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

// TestForget: what the trail does not keep any more cannot be asked for either.
func TestForget(t *testing.T) {
	q := queuetest.Connect(t, queuetest.Server(t), func(o *queue.Options) { o.AuditMaxAge, o.DuplicateWindow = time.Second, time.Second })
	x, err := index.Open(t.Context(), index.Options{Dir: t.TempDir(), Log: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	copied := make(chan error, 1)
	go func() { copied <- x.Run(ctx, rows{trailSource{queue: q, tail: stream.NewTail(q.Conn)}}) }()
	t.Cleanup(func() {
		stop()
		<-copied
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := stream.On(q.Conn).RecordWait(ctx, "acme", "call", []byte(`{"audit_id":"a1","tenant":"acme","phase":"finished"}`)); err != nil {
		t.Fatal(err)
	}
	holds := func(n int) func() bool {
		return func() bool {
			page, err := x.Query(ctx, audit.Query{Tenant: "acme", Limit: 10})
			return err == nil && len(page.Records) == n
		}
	}
	queuetest.Until(t, "the record is indexed", holds(1))
	queuetest.Until(t, "the trail has dropped it", func() bool {
		_, _, messages, err := stream.On(q.Conn).Range(ctx)
		return err == nil && messages == 0
	})
	if !holds(1)() {
		t.Error("the index forgot it by itself, so this test shows nothing")
	}
	go forget(ctx, q, x, zap.NewNop())
	queuetest.Until(t, "the index has dropped it", holds(0))
}
