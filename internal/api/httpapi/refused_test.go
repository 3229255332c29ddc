package httpapi

import (
	"fmt"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

func TestRefusedIsLoggedOnceASecond(t *testing.T) {
	t.Parallel()
	core, logs := observer.New(zapcore.DebugLevel)
	f := refused{log: zap.New(core)}
	at := time.Unix(0, 0)
	for range 100 {
		f.note("192.0.2.1:1", "a", at)
		f.note("192.0.2.1:2", "b", at) // another port is the same caller
	}
	f.note("192.0.2.2:1", "a", at)
	if got := logs.Len(); got != 2 {
		t.Fatalf("201 refusals of two addresses at once are %d lines, want 2: %v", got, logs.All())
	}
	f.note("192.0.2.1:3", "c", at.Add(refusedEvery))
	last := logs.All()[2].ContextMap()
	if last["count"] != int64(200) || last["remote"] != "192.0.2.1" || last["last"] != "c" {
		t.Errorf("the next line says %v, want the 200 since the first", last)
	}
}

func TestRefusedIsBounded(t *testing.T) {
	t.Parallel()
	f := refused{log: zap.NewNop()}
	for n := range 3 * maxRefused {
		f.note(fmt.Sprintf("10.%d.%d.%d:1", n>>16, n>>8&255, n&255), "", time.Unix(0, 0))
	}
	if len(f.from) > maxRefused {
		t.Errorf("%d addresses are remembered, want at most %d", len(f.from), maxRefused)
	}
}

func TestSource(t *testing.T) {
	t.Parallel()
	for remote, want := range map[string]string{
		"192.0.2.1:80": "192.0.2.1", "[::ffff:192.0.2.1]:80": "192.0.2.1", "[2001:db8:1:2:3:4:5:6]:80": "2001:db8:1:2::/64",
		"[fe80::1%eth0]:80": "fe80::/64", "": "unknown", "@": "unknown",
	} {
		if got := source(remote); got != want {
			t.Errorf("source(%q) = %q, want %q", remote, got, want)
		}
	}
}
