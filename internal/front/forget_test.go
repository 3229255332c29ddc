package front

import (
	"context"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/audit/index"
	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/bus/bustest"
)

// TestForget: what the trail does not keep any more cannot be asked for either.
func TestForget(t *testing.T) {
	b := bustest.Connect(t, bustest.Server(t), func(o *bus.Options) { o.AuditMaxAge, o.DuplicateWindow = time.Second, time.Second })
	x, err := index.Open(t.Context(), index.Options{Dir: t.TempDir(), Log: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	copied := make(chan error, 1)
	go func() { copied <- x.Run(ctx, rows{b}) }()
	t.Cleanup(func() {
		stop()
		<-copied
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := b.RecordWait(ctx, "acme", "call", []byte(`{"audit_id":"a1","tenant":"acme","phase":"finished"}`)); err != nil {
		t.Fatal(err)
	}
	holds := func(n int) func() bool {
		return func() bool {
			page, err := x.Query(ctx, audit.Query{Tenant: "acme", Limit: 10})
			return err == nil && len(page.Records) == n
		}
	}
	bustest.Until(t, "the record is indexed", holds(1))
	bustest.Until(t, "the trail has dropped it", func() bool {
		_, _, messages, err := b.AuditRange(ctx)
		return err == nil && messages == 0
	})
	if !holds(1)() {
		t.Error("the index forgot it by itself, so this test shows nothing")
	}
	go forget(ctx, b, x, zap.NewNop())
	bustest.Until(t, "the index has dropped it", holds(0))
}
