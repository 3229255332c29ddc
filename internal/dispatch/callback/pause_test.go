package callback

import (
	"testing"
	"time"
)

// TestRetries plays the attempts of a day against a receiver that never answers.
func TestRetries(t *testing.T) {
	const day = 24 * time.Hour
	for _, spread := range []float64{0, 0.5, 1} {
		var elapsed time.Duration
		var pauses []time.Duration
		for {
			wait, ok := retry(elapsed, day, spread)
			if !ok {
				break
			}
			if wait <= 0 || wait > pauseMost*5/4 {
				t.Fatalf("spread %v: a pause of %v after %v", spread, wait, elapsed)
			}
			pauses = append(pauses, wait)
			elapsed += wait
			if len(pauses) > 100 {
				t.Fatalf("spread %v: more than 100 attempts, after %v", spread, elapsed)
			}
		}
		if elapsed != day {
			t.Errorf("spread %v: the last attempt is made after %v, want a day", spread, elapsed)
		}
		if n := len(pauses); n < 25 || n > 60 {
			t.Errorf("spread %v: %d attempts in a day", spread, n)
		}
		if first := pauses[0]; first < pauseFirst*3/4 || first > pauseFirst*5/4 {
			t.Errorf("spread %v: the first pause is %v", spread, first)
		}
		for i := 1; i < len(pauses)-1; i++ {
			if pauses[i] < pauses[i-1] {
				t.Errorf("spread %v: a pause of %v follows one of %v", spread, pauses[i], pauses[i-1])
			}
		}
	}
}

// TestRetryGoesOn: another process that takes over after any time has the same pauses, and a
// result for which nobody could make an attempt in time gets one.
func TestRetryGoesOn(t *testing.T) {
	for _, tt := range []struct {
		elapsed, want time.Duration
		ok            bool
	}{
		{-time.Hour, time.Second, true}, // the clock of the process that copied the result
		{0, time.Second, true},
		{10 * time.Second, 10 * time.Second, true},
		{5 * time.Hour, time.Hour, true},
		{24*time.Hour - time.Minute, time.Minute, true},
		{24 * time.Hour, 0, false},
		{48 * time.Hour, 0, false},
	} {
		if wait, ok := retry(tt.elapsed, 24*time.Hour, 0.5); wait != tt.want || ok != tt.ok {
			t.Errorf("after %v: %v, %v, want %v, %v", tt.elapsed, wait, ok, tt.want, tt.ok)
		}
	}
}
