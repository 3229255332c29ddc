package cputime

import (
	"runtime"
	"testing"
	"time"
)

// What a process works shows in its time.
func TestProcessorTime(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems measure in larger steps")
	}
	before, _ := Used()
	for deadline := time.Now().Add(2 * time.Second); time.Now().Before(deadline); {
		if user, system := Used(); user > before && system >= 0 {
			return
		}
	}
	t.Errorf("user time stays %v", before)
}
