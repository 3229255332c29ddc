package tune

import (
	"runtime/debug"
	"testing"
)

// percent reads the collector's setting and puts it back.
func percent() int {
	now := debug.SetGCPercent(100)
	debug.SetGCPercent(now)
	return now
}

func TestGC(t *testing.T) {
	for _, tc := range []struct {
		name, gogc, limit string
		want              int
	}{
		{"nothing set", "", "", gcPercent},
		{"GOGC is the operator's", "50", "", 77},
		{"GOMEMLIMIT is the operator's", "", "1GiB", 77},
	} {
		t.Run(tc.name, func(t *testing.T) {
			defer debug.SetGCPercent(debug.SetGCPercent(77))
			t.Setenv("GOGC", tc.gogc)
			t.Setenv("GOMEMLIMIT", tc.limit)
			GC()
			if got := percent(); got != tc.want {
				t.Errorf("after GC() the collector is at %d, want %d", got, tc.want)
			}
		})
	}
}
