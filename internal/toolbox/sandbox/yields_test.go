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
		"short":                 {true, 5, []look{{ms, 5 * ms}}, 5},
		"waiting":               {true, 5, []look{{ms, 5 * ms}, {2 * ms, 20 * time.Second}}, 5},
		"computing":             {true, 5, []look{{6 * ms, 7 * ms}}, 19},
		"computing for seconds": {true, 5, []look{{6 * ms, 7 * ms}, {time.Second, 4 * time.Second}}, 10},
		"left no time by others": {
			true, 5, []look{{6 * ms, 7 * ms}, {20 * ms, 4 * time.Second}, {40 * ms, 7 * time.Second}, {60 * ms, 10 * time.Second}}, 5,
		},
		"the same before that":        {true, 5, []look{{6 * ms, 7 * ms}, {20 * ms, 4 * time.Second}, {40 * ms, 7 * time.Second}}, 10},
		"priority cannot be restored": {false, 5, []look{{6 * ms, 50 * ms}}, 5},
		"the same later":              {false, 5, []look{{6 * ms, 50 * ms}, {60 * ms, 100 * ms}}, 10},
		"the same much later":         {false, 5, []look{{6 * ms, 50 * ms}, {60 * ms, 100 * ms}, {time.Second, 20 * time.Second}}, 10},
		"nice from its start":         {false, 15, []look{{60 * ms, 100 * ms}}, 15},
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
