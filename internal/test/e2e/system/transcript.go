package system

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/helve-dev/helve/internal/telemetry"
)

// Transcript keeps the log lines of a system.
type Transcript struct {
	kits []*telemetry.Kit

	mu   sync.Mutex
	text strings.Builder
}

// Write implements io.Writer.
func (l *Transcript) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

// String returns all lines logged so far.
func (l *Transcript) String() string {
	for _, kit := range l.kits {
		_ = kit.Log.Sync() // a transcript accepts every line
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// tail returns the last lines.
func (l *Transcript) tail() string {
	const most = 4 << 10
	text := l.String()
	return text[max(0, len(text)-most):]
}

// About returns the log lines about a call.
func (l *Transcript) About(t testing.TB, callID string) (lines []map[string]any) {
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
