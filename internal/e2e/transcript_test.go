package e2e

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/helve-dev/helve/internal/telemetry"
)

// transcript keeps what was logged.
type transcript struct {
	kits []*telemetry.Kit

	mu   sync.Mutex
	text strings.Builder
}

// Write implements io.Writer.
func (l *transcript) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

// String returns all that was logged until now.
func (l *transcript) String() string {
	for _, kit := range l.kits {
		_ = kit.Log.Sync() // a transcript takes everything
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// of returns the log lines about a call.
func (l *transcript) of(t testing.TB, callID string) (lines []map[string]any) {
	t.Helper()
	for text := range strings.Lines(l.String()) {
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("log line %q: %v", text, err)
		}
		if line["call_id"] == callID {
			lines = append(lines, line)
		}
	}
	return lines
}
