package dispatcher

import (
	"testing"
	"time"

	"github.com/helve-dev/helve/config"
)

func TestDrainDelay(t *testing.T) {
	for _, tt := range []struct {
		addr string
		set  time.Duration
		want time.Duration
	}{
		{"127.0.0.1:8080", 0, 0},
		{"[::1]:0", 0, 0},
		{":8080", 0, announcedFor},
		{"0.0.0.0:8080", 0, announcedFor},
		{"0.0.0.0:8080", time.Millisecond, time.Millisecond},
		{"127.0.0.1:8080", time.Minute, time.Minute},
	} {
		if got := drainDelay(config.HTTPSection{Addr: tt.addr, DrainDelay: tt.set}); got != tt.want {
			t.Errorf("drainDelay(%s, %s) = %s, want %s", tt.addr, tt.set, got, tt.want)
		}
	}
}
