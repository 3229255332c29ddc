package upstream

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/helve-dev/helve/internal/toolbox/upstream/approvals"
)

// errForgotten means that the server no longer knows the session: it was restarted, or the
// session was idle for too long. A new one is begun immediately.
var errForgotten = errors.New("the server no longer knows the session")

// renewTime bounds how long a call waits for a new session.
const renewTime = 10 * time.Second

// renew replaces a session that the server no longer knows by a new session.
func (c *client) renew(s *session) { s.renewOnce.Do(func() { close(s.stale) }) }

// retire closes a session when its calls have ended, or with ctx: some of them may still be
// answered.
func (s *session) retire(ctx context.Context) {
	select {
	case <-s.calls.idle():
	case <-s.lost:
	case <-ctx.Done():
	}
	_ = s.close() // nothing is known of it any more
}

// reach returns the connection to the server, if it still lists the tool with the offered
// definition. It waits for a session that is being renewed. The session counts a call,
// which [session.call] ends.
func (c *client) reach(ctx context.Context, o *offer) (*session, error) {
	late := time.NewTimer(renewTime)
	defer late.Stop()
	for {
		s, turn, err := c.current(o)
		if s != nil || err != nil {
			return s, err
		}
		select {
		case <-turn:
		case <-late.C:
			return nil, c.down(o.def.Name)
		case <-ctx.Done():
			return nil, ctx.Err() // nothing was sent to the server
		}
	}
}

// current returns the session for a call, the reason why there is none, or the channel that
// is closed when that changes.
func (c *client) current(o *offer) (*session, <-chan struct{}, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.live
	switch {
	case s == nil && errors.Is(c.why, errForgotten), s != nil && s.forgotten():
		return nil, c.turn, nil
	case s == nil || s.over():
		return nil, nil, c.down(o.def.Name)
	}
	if now := c.byName[o.def.Name]; now == nil || now.hash != o.hash || !c.pool.approvals.Of(o.def.Name).Open(o.hash) {
		return nil, nil, approvals.Withheld(o.def.Name)
	}
	s.calls.begin()
	return s, nil, nil
}

func (s *session) forgotten() bool {
	select {
	case <-s.stale:
		return true
	default:
		return false
	}
}

// turned tells those who wait that live or why changed. The caller holds the lock.
func (c *client) turned() {
	close(c.turn)
	c.turn = make(chan struct{})
}

// inFlight counts the calls of a session that have no answer yet.
type inFlight struct {
	mu    sync.Mutex
	calls int
	none  chan struct{} // made by idle
}

func (f *inFlight) begin() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
}

func (f *inFlight) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.calls--; f.calls == 0 && f.none != nil {
		close(f.none)
	}
}

// idle returns a channel that is closed when no call is left. No call begins after it.
func (f *inFlight) idle() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.none == nil {
		f.none = make(chan struct{})
		if f.calls == 0 {
			close(f.none)
		}
	}
	return f.none
}
