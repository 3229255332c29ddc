package timelimit

import (
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
)

func TestOf(t *testing.T) {
	for _, tt := range []struct {
		seconds, milliseconds *float64
		want                  time.Duration
	}{
		{nil, nil, 30 * time.Second},
		{new(2.5), nil, 2500 * time.Millisecond},
		{nil, new(1500.0), 1500 * time.Millisecond},
		{new(1.0), new(9000.0), time.Second},
		{new(1e300), nil, time.Minute},
	} {
		if got, err := Of(tt.seconds, tt.milliseconds, 30*time.Second, time.Minute); got != tt.want || err != nil {
			t.Errorf("Of = %v, %v, want %v", got, err, tt.want)
		}
	}
	for _, bad := range []float64{0, -1} {
		if _, err := Of(&bad, nil, 30*time.Second, time.Minute); tool.AsError(err) == nil || tool.AsError(err).Kind != tool.ValidationError {
			t.Errorf("Of %v seconds: error %v, want a %s", bad, err, tool.ValidationError)
		}
	}
}
