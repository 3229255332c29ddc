package calls

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/audit/index"
	"github.com/helve-dev/helve/protocol"
)

// trailOf is a trail in memory with a real index. It implements [Trail] and [index.Source].
type trailOf struct {
	*index.Index

	mu     sync.Mutex
	stored []audit.Message
}

// newTrail returns an empty trail, whose records are copied until the test ends.
func newTrail(t *testing.T) *trailOf {
	t.Helper()
	x, err := index.Open(t.Context(), index.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return &trailOf{Index: x}
}

// store appends a record.
func (o *trailOf) store(t *testing.T, r protocol.AuditRecord) {
	t.Helper()
	data, err := audit.Encode(&r)
	if err != nil {
		t.Fatal(err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stored = append(o.stored, audit.Message{Seq: uint64(len(o.stored) + 1), Tenant: r.Tenant, Data: data})
}

// begin copies the records until the test ends.
func (o *trailOf) begin(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- o.Run(ctx, o) }()
	t.Cleanup(func() {
		cancel()
		<-done
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	})
}

// CatchUp implements [Trail].
func (o *trailOf) CatchUp(ctx context.Context) (behind bool, err error) {
	_, last, err := o.Range(ctx)
	if err == nil {
		err = o.Wait(ctx, last)
	}
	return false, err
}

func (o *trailOf) messages() []audit.Message {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.stored)
}

// Follow implements [index.Source]; there are no records but those that are stored before.
func (o *trailOf) Follow(ctx context.Context, from uint64, each func(audit.Message) error) error {
	for _, m := range o.messages() {
		if m.Seq >= from {
			if err := each(m); err != nil {
				return err
			}
		}
	}
	<-ctx.Done()
	return ctx.Err()
}

// Read implements [index.Source].
func (o *trailOf) Read(_ context.Context, from, to uint64, tenant string, each func(audit.Message) error) error {
	for _, m := range o.messages() {
		if m.Seq >= from && m.Seq <= to && m.Tenant == tenant {
			if err := each(m); err != nil {
				return err
			}
		}
	}
	return nil
}

// Range implements [index.Source].
func (o *trailOf) Range(context.Context) (first, last uint64, err error) {
	return 1, uint64(len(o.messages())), nil
}
