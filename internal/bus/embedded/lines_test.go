package embedded

import (
	"errors"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

// TestLinesAreCollapsed: of a thousand lines of one kind one is logged.
func TestLinesAreCollapsed(t *testing.T) {
	core, logged := observer.New(zapcore.DebugLevel)
	failed := 0
	l := newLines(zap.New(core), func() { failed++ })
	for n := range 1000 {
		l.Errorf("stream %d: no space left on device", n)
	}
	l.Warnf("another %s", "kind")
	l.Noticef("no problem")
	if got := logged.Len(); got != 2 {
		t.Errorf("%d lines are logged, want one of each kind: %v", got, logged.All())
	}
	if failed != 1000 {
		t.Errorf("%d writes failed, want 1000", failed)
	}
	if repeated, due := l.due("stream %d: no space left on device", time.Now().Add(lineEvery)); !due || repeated != 999 {
		t.Errorf("later the line is due: %v, repeated %d; want true, 999", due, repeated)
	}
}

func TestFailedWrite(t *testing.T) {
	for text, want := range map[string]bool{
		"JetStream failed to store a msg on stream '$G > S': " + errors.New("input/output error").Error(): true,
		"Filestore [S] Critical write error: write x: no space left on device":                            true,
		"JetStream out of File resources, will be DISABLED":                                               true,
		"JetStream File resource limits exceeded for server":                                              false,
		"Slow consumer detected": false,
	} {
		if got := failedWrite(text); got != want {
			t.Errorf("failedWrite(%q) = %v, want %v", text, got, want)
		}
	}
}
