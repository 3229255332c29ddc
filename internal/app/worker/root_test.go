package worker

import (
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

func TestWarnAboutRoot(t *testing.T) {
	for uid, want := range map[int]int{0: 1, 1000: 0, -1: 0} {
		core, logged := observer.New(zapcore.WarnLevel)
		warnAboutRoot(zap.New(core), uid)
		if got := logged.FilterMessage("worker runs as root").Len(); got != want {
			t.Errorf("user %d: %d warnings, want %d", uid, got, want)
		}
	}
}
