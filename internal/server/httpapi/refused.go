package httpapi

import (
	"context"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
)

const (
	// refusedEvery is the minimum interval of log lines about one address.
	refusedEvery = time.Second
	// maxRefused is the maximum number of addresses that are tracked.
	maxRefused = 4096
	// freeRefusals is the number of wrong credentials per address that are answered
	// without a pause, and refusalRate the number forgotten per second.
	freeRefusals = 100
	refusalRate  = 5
	// refusalStep is the additional pause of each further refusal, up to longestPause.
	refusalStep  = 50 * time.Millisecond
	longestPause = 2 * time.Second
	// maxPausing is the maximum number of paused refusals; further ones are answered
	// immediately.
	maxPausing = 512
)

// refused logs refused callers, so that an operator notices attempts to guess
// credentials, without flooding the log. It also delays the answers to an address with
// many wrong credentials. A correct credential from the same address, which may be a
// proxy's, is never delayed.
type refused struct {
	log *zap.Logger

	mu   sync.Mutex
	from map[string]*tally

	pausing atomic.Int64
}

// tally counts refusals since the last log line.
type tally struct {
	logged time.Time
	count  int
	// recent counts wrong credentials and loses refusalRate a second since last.
	recent float64
	last   time.Time
}

// note counts a refusal and logs the number since the last line. It returns the delay
// for the answer to a wrong credential.
func (f *refused) note(remote, why string, wrong bool, now time.Time) (pause time.Duration) {
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
	t.recent = max(t.recent-refusalRate*now.Sub(t.last).Seconds(), 0)
	t.last = now
	if wrong {
		t.recent++
	}
	if over := t.recent - freeRefusals; wrong && over > 0 {
		pause = min(time.Duration(over*float64(refusalStep)), longestPause)
	}
	if now.Sub(t.logged) < refusedEvery {
		return pause
	}
	f.log.Warn("requests were refused for their credential", zap.String("remote", remote), zap.Int("count", t.count), zap.String("last", why))
	t.logged, t.count = now, 0
	return pause
}

// wait delays an answer, unless the client disconnects or too many answers are delayed
// already.
func (f *refused) wait(ctx context.Context, pause time.Duration) {
	if pause <= 0 {
		return
	}
	defer f.pausing.Add(-1)
	if f.pausing.Add(1) > maxPausing {
		return
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// source returns the part of an address that one caller cannot change at will: an IPv4
// address, or the 64-bit network that is the smallest allocation in IPv6.
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
