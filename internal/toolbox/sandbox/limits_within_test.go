package sandbox

import (
	"testing"
	"time"
)

func TestWithin(t *testing.T) {
	t.Parallel()
	most := DefaultLimits()
	for name, tt := range map[string]struct{ in, want Limits }{
		"zero":  {Limits{}, most},
		"less":  {Limits{Wall: 1, CPU: 2, Memory: 3, Output: 4, Replay: 5}, Limits{Wall: 1, CPU: 2, Memory: 3, Output: 4, Replay: 5}},
		"more":  {Limits{Wall: time.Hour, CPU: time.Hour, Memory: 1 << 40, Output: 1 << 30, Replay: time.Hour}, most},
		"below": {Limits{Wall: -1, CPU: -1, Memory: -1, Output: -1, Replay: -1}, most},
	} {
		if got := tt.in.within(most); got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}

// A child for programs has time for all that a program may do, and for the replay before.
func TestLifetimeOfPrograms(t *testing.T) {
	t.Parallel()
	l := Limits{CPU: time.Second, life: durableLife}.within(Limits{CPU: time.Second, life: durableLife})
	if life := l.lifetimeCPU(); life != durableLife || life/2 < time.Minute+2*DefaultLimits().Replay {
		t.Errorf("a child lives for %s", life)
	}
}

// A recycled child always has its full limit left.
func TestLifetimeCPU(t *testing.T) {
	t.Parallel()
	for _, cpu := range []time.Duration{time.Millisecond, 300 * time.Millisecond, 600 * time.Millisecond, time.Second, 5 * time.Second} {
		l := Limits{CPU: cpu}
		life := l.lifetimeCPU()
		if life%time.Second != 0 || life-life/2 < cpu {
			t.Errorf("with %s a child lives for %s", cpu, life)
		}
	}
}
