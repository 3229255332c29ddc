package memory

import (
	"math"
	"testing"
	"time"
)

func TestImportance(t *testing.T) {
	for _, tt := range []struct {
		set  float64
		days int
		want float64
	}{
		{0.8, 0, 0.8}, {0.8, 90, 0.4}, {0.8, 180, 0.2}, {0.8, 45, 0.5657}, {0.8, 299, 0.08}, {0.8, 300, 0.08}, {0.8, 100_000, 0.08},
		{1, 1, 0.9923}, {0, 90, 0}, {0.8, -5, 0.8},
	} {
		var v stored
		v.set(tt.set, monday)
		if got := v.importance(monday.AddDate(0, 0, tt.days)); got != tt.want {
			t.Errorf("%v after %d days is %v, want %v", tt.set, tt.days, got, tt.want)
		}
	}
}

func TestAccess(t *testing.T) {
	var v stored
	v.set(0.8, monday)
	if v.access(monday.Add(14 * time.Hour)) {
		t.Error("a second access on one day is recorded")
	}
	next := monday.AddDate(0, 0, 90)
	if !v.access(next) || v.importance(next) != 0.8 || v.importance(next.AddDate(0, 0, 90)) != 0.4 {
		t.Errorf("after an access: %+v, want full importance, which decays from there", v)
	}
}

func TestDayOf(t *testing.T) {
	for text, want := range map[string]int{
		"1970-01-01T00:00:00Z": 0, "1969-12-31T23:59:59Z": -1, "2024-02-29T12:00:00Z": 19782, "2024-03-01T01:00:00+02:00": 19782,
		"0001-01-01T00:00:00Z": -719162, "9999-12-31T23:59:59Z": 2932896,
	} {
		at, err := time.Parse(time.RFC3339, text)
		if got := dayOf(at); err != nil || got != want {
			t.Errorf("dayOf(%s) = %d, %v, want %d", text, got, err, want)
		}
	}
}

// TestStrength holds the order by strength to the order by importance.
func TestStrength(t *testing.T) {
	now := dayOf(monday)
	type point struct {
		set float64
		age int
	}
	var points []point
	for _, set := range []float64{0.1, 0.25, 0.5, 0.9, 1} {
		for _, age := range []int{0, 1, 30, 90, 200} {
			points = append(points, point{set, age})
		}
	}
	for _, a := range points {
		for _, b := range points {
			x, y := a.set*factor(a.age), b.set*factor(b.age)
			if more := strength(a.set, now-a.age) > strength(b.set, now-b.age)+1e-6; more != (x > y+1e-9) {
				t.Errorf("%+v is stronger than %+v: %v, but the importances are %v and %v", a, b, more, x, y)
			}
		}
	}
	if s := strength(0, now); s != weakest || math.IsInf(s, 0) {
		t.Errorf("the strength of no importance is %v", s)
	}
}
