package sandbox

import (
	"testing"
	"time"
)

// TestYields: a run yields when it has computed for long, and only for a bounded time.
func TestYields(t *testing.T) {
	t.Parallel()
	type look struct{ used, past time.Duration }
	const ms = time.Millisecond
	for name, tt := range map[string]struct {
		regains bool
		nice    int
		looks   []look
		want    int
	}{
		"a short one":                     {true, 5, []look{{ms, 5 * ms}}, 5},
		"one that waits":                  {true, 5, []look{{ms, 5 * ms}, {2 * ms, 20 * time.Second}}, 5},
		"one that computes":               {true, 5, []look{{6 * ms, 7 * ms}}, 19},
		"one that computes for seconds":   {true, 5, []look{{6 * ms, 7 * ms}, {time.Second, 4 * time.Second}}, 10},
		"one that others leave no time":   {true, 5, []look{{6 * ms, 7 * ms}, {20 * ms, 4 * time.Second}, {40 * ms, 7 * time.Second}, {60 * ms, 10 * time.Second}}, 5},
		"the same before":                 {true, 5, []look{{6 * ms, 7 * ms}, {20 * ms, 4 * time.Second}, {40 * ms, 7 * time.Second}}, 10},
		"one that cannot have it back":    {false, 5, []look{{6 * ms, 50 * ms}}, 5},
		"the same later":                  {false, 5, []look{{6 * ms, 50 * ms}, {60 * ms, 100 * ms}}, 10},
		"the same much later":             {false, 5, []look{{6 * ms, 50 * ms}, {60 * ms, 100 * ms}, {time.Second, 20 * time.Second}}, 10},
		"one that is nice from its start": {false, 15, []look{{60 * ms, 100 * ms}}, 15},
	} {
		y := yields{child: &childProcess{killed: true, process: process{regains: tt.regains, nice: tt.nice}}}
		for _, l := range tt.looks {
			if next := y.look(l.used, l.past); next < ms {
				t.Errorf("%s: the next look is after %v", name, next)
			}
		}
		if y.nice() != tt.want {
			t.Errorf("%s: nice %d, want %d", name, y.nice(), tt.want)
		}
	}
}
