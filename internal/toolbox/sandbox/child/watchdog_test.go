package child

import (
	"testing"
	"time"
)

func TestBreached(t *testing.T) {
	t.Parallel()
	const mb = 1 << 20
	type look struct {
		live, objects uint64 // MB
		at            time.Duration
	}
	for name, tt := range map[string]struct {
		looks []look
		want  bool // of the last measurement
	}{
		"within":                     {[]look{{30, 54, 0}}, false},
		"too much lives":             {[]look{{55, 55, 0}}, true},
		"by far too much":            {[]look{{5, 80, 0}}, true},
		"over it for a moment":       {[]look{{5, 60, 0}, {5, 60, 50 * time.Millisecond}}, false},
		"over it for a while":        {[]look{{5, 60, 0}, {5, 60, 51 * time.Millisecond}}, true},
		"over it again, after a dip": {[]look{{5, 60, 0}, {5, 50, 40 * time.Millisecond}, {5, 60, 60 * time.Millisecond}}, false},
	} {
		w := &watchdog{base: 4 * mb, limit: 50 * mb}
		start, got := time.Now(), false
		for _, l := range tt.looks {
			got = w.breached(l.live*mb, l.objects*mb, start.Add(l.at))
		}
		if got != tt.want {
			t.Errorf("%s: breached = %v, want %v", name, got, tt.want)
		}
	}
}
