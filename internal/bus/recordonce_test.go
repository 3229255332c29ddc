package bus_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/bus/bustest"
)

// TestRecordOnce stores a record that several processes write once, and another
// tenant's, or another, as well.
func TestRecordOnce(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	a, b := bustest.Connect(t, srv), bustest.Connect(t, srv)
	for _, r := range []struct {
		by             *bus.Bus
		tenant, id, is string
	}{
		{a, "acme", "f-c-1", "first"}, {b, "acme", "f-c-1", "again"}, {a, "acme", "f-c-1", "again"},
		{a, "other", "f-c-1", "another tenant's"}, {b, "acme", "f-c-2", "another"},
	} {
		done := make(chan error, 1)
		r.by.RecordOnce(r.tenant, "echo", r.id, []byte(r.is), func(err error) { done <- err })
		if err := bustest.Receive(t, done, "acknowledgement"); err != nil {
			t.Errorf("RecordOnce(%s, %s) = %v", r.tenant, r.id, err)
		}
	}
	want := []string{"1 acme echo first true", "2 other echo another tenant's true", "3 acme echo another true"}
	if diff := cmp.Diff(want, readAudit(t, a, 1, 9, "")); diff != "" {
		t.Errorf("on record (-want +got):\n%s", diff)
	}
}

func TestRecordOnceRefuses(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t), func(o *bus.Options) { o.AuditMaxBytes = 1 })
	for tenant, want := range map[string]error{"acme": bus.ErrFull, "a.b": nil} {
		done := make(chan error, 1)
		b.RecordOnce(tenant, "echo", "f-c-1", []byte("x"), func(err error) { done <- err })
		if err := bustest.Receive(t, done, "answer"); err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("RecordOnce of %q on a full trail = %v, want an error like %v", tenant, err, want)
		}
	}
}
