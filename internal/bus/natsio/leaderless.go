package natsio

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	// leaderlessFor is the time for which writes to a stream without a leader are repeated,
	// from the first of them on. A server that leaves its cluster hands its streams over
	// within a second; a stream that has no leader for longer has lost its quorum or was
	// deleted, and its writes are refused without delay.
	leaderlessFor = 4 * time.Second
	// repeatFirst and repeatMost are the shortest and longest pause before a repetition.
	repeatFirst, repeatMost = 20 * time.Millisecond, 250 * time.Millisecond
)

// leaderless records since when which kinds of streams have had no leader. A write that
// nothing received was not stored, so repeating it is safe: unlike a write that was not
// acknowledged.
type leaderless struct {
	open  atomic.Int32 // number of entries of since
	mu    sync.Mutex
	since map[string]time.Time
}

// unheard reports whether a reply to a write is the server's: no stream received it.
func unheard(reply *nats.Msg) bool { return reply != nil && reply.Header.Get("Status") == "503" }

// repeat reports whether to repeat a write to a subject that no stream received.
func (l *leaderless) repeat(kind string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	since, ok := l.since[kind]
	if !ok {
		if l.since == nil {
			l.since = map[string]time.Time{}
		}
		l.since[kind], since = now, now
		l.open.Add(1)
	}
	return now.Sub(since) < leaderlessFor
}

// heard records that the stream of a subject has acknowledged a write.
func (l *leaderless) heard(kind func() string) {
	if l.open.Load() == 0 { // nearly always
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if k := kind(); !l.since[k].IsZero() {
		delete(l.since, k)
		l.open.Add(-1)
	}
}

// kindOf returns the part of a subject that streams are told apart by: of
// <prefix>.<tenant>.result.<pool>.<call_id> it is result.
func (c *Conn) kindOf(subject string) string {
	rest, ok := strings.CutPrefix(subject, c.opts.Prefix+".")
	if !ok {
		return ""
	}
	_, rest, _ = strings.Cut(rest, ".")
	kind, _, _ := strings.Cut(rest, ".")
	return kind
}
