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
		f.note("192.0.2.1:1", "a", true, at)
		f.note("192.0.2.1:2", "b", true, at) // another port is the same caller
	}
	f.note("192.0.2.2:1", "a", true, at)
	if got := logs.Len(); got != 2 {
		t.Fatalf("201 refusals of two addresses at once are %d lines, want 2: %v", got, logs.All())
	}
	f.note("192.0.2.1:3", "c", true, at.Add(refusedEvery))
	last := logs.All()[2].ContextMap()
	if last["count"] != int64(200) || last["remote"] != "192.0.2.1" || last["last"] != "c" {
		t.Errorf("the next line says %v, want the 200 since the first", last)
	}
}

func TestRefusedIsBounded(t *testing.T) {
	t.Parallel()
	f := refused{log: zap.NewNop()}
	for n := range 3 * maxRefused {
		f.note(fmt.Sprintf("10.%d.%d.%d:1", n>>16, n>>8&255, n&255), "", true, time.Unix(0, 0))
	}
	if len(f.from) > maxRefused {
		t.Errorf("%d addresses are remembered, want at most %d", len(f.from), maxRefused)
	}
}

// TestRefusedIsSlowed: many wrong credentials of an address wait longer and longer, up
// to a bound; other addresses do not, and after a while neither does this one.
func TestRefusedIsSlowed(t *testing.T) {
	t.Parallel()
	f := refused{log: zap.NewNop()}
	at := time.Unix(0, 0)
	for range freeRefusals {
		if pause := f.note("192.0.2.1:1", "", true, at); pause != 0 {
			t.Fatalf("one of the first refusals waits %v", pause)
		}
	}
	last := time.Duration(0)
	for range 1000 {
		pause := f.note("192.0.2.1:1", "", true, at)
		if pause <= last && pause != longestPause || pause > longestPause {
			t.Fatalf("a refusal waits %v after one of %v", pause, last)
		}
		last = pause
	}
	if last != longestPause {
		t.Errorf("after 1000 refusals one waits %v, want %v", last, longestPause)
	}
	if pause := f.note("192.0.2.1:1", "", false, at); pause != 0 {
		t.Errorf("a request without a credential waits %v", pause)
	}
	if pause := f.note("192.0.2.2:1", "", true, at); pause != 0 {
		t.Errorf("another address waits %v", pause)
	}
	if pause := f.note("192.0.2.1:1", "", true, at.Add(time.Hour)); pause != 0 {
		t.Errorf("an hour later a refusal waits %v", pause)
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
