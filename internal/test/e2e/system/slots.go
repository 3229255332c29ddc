package system

import (
	"fmt"
	"testing"

	"github.com/helve-dev/helve/config"
)

// OneSlot returns a system whose only worker runs one call at a time, with a call that
// occupies it until release.
func OneSlot(t *testing.T, dispatchers int) (s *System, release func()) {
	t.Helper()
	s = Launch(t, Plan{Dispatchers: dispatchers, Groups: []string{"webFetch"}, Config: func(c *config.Config) { c.Worker.Slots = 1 }})
	return s, s.Occupy(t, "hold")
}

// Occupy keeps a slot busy until release.
func (s *System) Occupy(t *testing.T, callID string) (release func()) {
	t.Helper()
	events := s.Listen(t, "holder")
	Enqueue(t, s.NATS(), "holder", fmt.Sprintf(`{"call_id": %q, "tool": "debug.sleep", "arguments": {"ms": 600000}}`, callID))
	events.Until("started", callID)
	return func() {
		t.Helper()
		WantError(t, ByID(t, s.NATS(), "calls.cancel", "holder", callID), "cancelled", "")
	}
}
