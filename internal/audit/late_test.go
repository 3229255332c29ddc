package audit

import (
	"testing"
	"time"

	"github.com/helve-dev/helve/protocol"
)

// TestLateness: each class ends where the next begins, at the bound that it returns.
func TestLateness(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, class := range append([]Lateness{Prompt}, Latenesses()...) {
		most, bounded := class.Most()
		if !bounded {
			most = 1000 * time.Hour
		}
		if got := LatenessOf(at, at.Add(most)); got != class {
			t.Errorf("after %s the class is %d, want %d", most, got, class)
		}
		if got := LatenessOf(at, at.Add(most+time.Microsecond)); bounded && got != class+1 {
			t.Errorf("a microsecond after %s the class is %d, want %d", most, got, class+1)
		}
		if key := string(class.Key()); (key == "") != (class == Prompt) {
			t.Errorf("the key of class %d is %q", class, key)
		}
	}
	if got := LatenessOf(at, at.Add(-time.Hour)); got != Prompt {
		t.Errorf("a record from before the acceptance has the class %d", got)
	}
	if got := LatenessOfRecord(&protocol.AuditRecord{Time: at}); got != Prompt {
		t.Errorf("a record without the time has the class %d", got)
	}
}
