package gctune

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
)

// percent returns the collector's setting.
func percent() int {
	now := debug.SetGCPercent(100)
	debug.SetGCPercent(now)
	return now
}

func TestSet(t *testing.T) {
	for _, tc := range []struct {
		name, gogc, limit string
		want              int
	}{
		{"nothing set", "", "", quick},
		{"GOGC is the operator's", "50", "", 77},
		{"GOMEMLIMIT is the operator's", "", "1GiB", 77},
	} {
		t.Run(tc.name, func(t *testing.T) {
			defer debug.SetGCPercent(debug.SetGCPercent(77))
			t.Setenv("GOGC", tc.gogc)
			t.Setenv("GOMEMLIMIT", tc.limit)
			Set()
			if got := percent(); got != tc.want {
				t.Errorf("after Set() the collector is at %d, want %d", got, tc.want)
			}
		})
	}
}

// TestPaceFollowsTheHeap: what is held decides, as soon as it is collected around.
func TestPaceFollowsTheHeap(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	defer debug.SetGCPercent(debug.SetGCPercent(77))
	Set()
	held := make([]byte, 2*spare)
	wantPace(t, sparing)
	runtime.KeepAlive(held)
	wantPace(t, quick)
}

// wantPace collects until the collector is at want.
func wantPace(t *testing.T, want uint64) {
	t.Helper()
	now := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	for range 1000 {
		runtime.GC()
		if metrics.Read(now); now[0].Value.Uint64() == want {
			return
		}
	}
	t.Errorf("the collector is at %d, want %d", now[0].Value.Uint64(), want)
}

func TestPace(t *testing.T) {
	for live, want := range map[uint64]int{
		0: quick, 1 << 20: quick, 20 << 20: quick, 21 << 20: 180, 28 << 20: 140, 39 << 20: sparing, 1 << 30: sparing,
	} {
		if got := pace(live); got != want {
			t.Errorf("pace(%d MiB) = %d, want %d", live>>20, got, want)
		}
	}
}
