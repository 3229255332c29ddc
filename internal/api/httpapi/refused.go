package httpapi

import (
	"net/netip"
	"sync"
	"time"

	"go.uber.org/zap"
)

const (
	// refusedEvery is the least time between two log lines about one address.
	refusedEvery = time.Second
	// maxRefused is how many addresses are remembered.
	maxRefused = 4096
)

// refused logs callers that are not let in, so that an operator sees somebody
// guess, and no flood of guesses floods the log.
type refused struct {
	log *zap.Logger

	mu   sync.Mutex
	from map[string]*tally
}

// tally counts since the last line.
type tally struct {
	logged time.Time
	count  int
}

// note counts a refusal and logs how many there were since the last line.
func (f *refused) note(remote, why string, now time.Time) {
	remote = source(remote)
	f.mu.Lock()
	defer f.mu.Unlock()
	t := f.from[remote]
	if t == nil {
		if f.from == nil || len(f.from) >= maxRefused {
			f.from = map[string]*tally{}
		}
		t = &tally{}
		f.from[remote] = t
	}
	t.count++
	if now.Sub(t.logged) < refusedEvery {
		return
	}
	f.log.Warn("requests were refused for their credential", zap.String("remote", remote), zap.Int("count", t.count), zap.String("last", why))
	t.logged, t.count = now, 0
}

// source is what one caller cannot change at will: its IPv4 address, or the
// network of 64 bits that is the least anybody has in IPv6.
func source(remote string) string {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return "unknown"
	}
	ip := at.Addr().Unmap().WithZone("")
	if ip.Is4() {
		return ip.String()
	}
	return netip.PrefixFrom(ip, 64).Masked().String()
}
