package syscheck

import (
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/kept"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/protocol"
)

// TestHistory: calls that were dropped before their time are a finding for a day.
func TestHistory(t *testing.T) {
	t.Parallel()
	c, _, q := checker(t)
	wants(t, c, "history", protocol.FindingOK, "stay for as long")
	note := func(ago time.Duration, tenant string) {
		t.Helper()
		err := kept.On(q.Conn).NoteDropped(queuetest.Context(t), kept.Dropped{At: time.Now().Add(-ago), Tenant: tenant, Calls: 17})
		if err != nil {
			t.Fatal(err)
		}
	}
	note(time.Hour, "acme")
	wants(t, c, "history", protocol.FindingWarning, "of tenant acme reached their bound: 17 of the oldest were dropped")
	note(time.Hour, "")
	wants(t, c, "history", protocol.FindingWarning, "of all tenants reached their bound")
	note(25*time.Hour, "acme")
	wants(t, c, "history", protocol.FindingOK, "stay for as long")
}
