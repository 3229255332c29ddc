package dispatch

import (
	"testing"

	"github.com/google/uuid"
)

func TestMadeID(t *testing.T) {
	const n = 1000
	seen := map[string]bool{}
	foreign := 0
	for range n {
		id := NewID()
		if parsed, err := uuid.Parse(id); err != nil || parsed.Version() != 7 || !madeID(id) || seen[id] {
			t.Fatalf("NewID() = %q, want a new UUIDv7 that madeID knows", id)
		}
		seen[id] = true
		if madeID(uuid.Must(uuid.NewV7()).String()) {
			foreign++
		}
	}
	if foreign > 5 {
		t.Errorf("%d of %d ids of others are taken for ours, want about none", foreign, n)
	}
	for _, id := range []string{"", "call-1", "00000000-0000-7000-8000-00000000000"} {
		if madeID(id) {
			t.Errorf("madeID(%q) = true", id)
		}
	}
}
