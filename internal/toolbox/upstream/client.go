package upstream

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/toolbox/foreign"
	"github.com/helve-dev/helve/internal/x/gopool"
)

// client keeps the connection to one server and the list of its tools.
type client struct {
	s     Server
	pool  *Pool
	log   *zap.Logger
	slots chan struct{} // one for each call at a time
	wake  chan struct{} // to list again
	odd   sync.Once
	tried chan struct{}   // closed after the first attempt to connect
	ever  map[string]bool // names that were compared here; only run touches it

	mu     sync.Mutex
	live   *session      // nil while disconnected
	turn   chan struct{} // closed when live or why changes
	why    error         // the reason for that
	listed bool          // once, at least
	offers []*offer      // as they were listed
	byName map[string]*offer
	faults []Problem
}

func newClient(s Server, p *Pool) *client {
	concurrent := s.MaxConcurrent
	if concurrent == 0 {
		concurrent = defaultConcurrent
	}
	return &client{
		s: s, pool: p, log: p.o.Log.With(zap.String("mcp_server", s.Name)), slots: make(chan struct{}, concurrent),
		wake: make(chan struct{}, 1), tried: make(chan struct{}), ever: map[string]bool{}, turn: make(chan struct{}),
		why: errors.New("it has not been reached yet"),
	}
}

// The pause before a lost server is restarted: it doubles each time, and is reset after
// the server has been up for a while.
const (
	firstPause = 500 * time.Millisecond
	maxPause   = time.Minute
	lasted     = time.Minute
)

// run keeps the server connected until ctx ends.
func (c *client) run(ctx context.Context) {
	tried := sync.OnceFunc(func() { close(c.tried) })
	defer tried()
	old := false
	for attempt := 0; ctx.Err() == nil; attempt++ {
		began := time.Now()
		var s *session
		err := gopool.Catch(func() (err error) {
			s, err = c.dial(ctx, old, c.listAgain)
			return err
		})
		if err == nil {
			err = gopool.Catch(func() error { return c.keep(ctx, s, tried) })
			if errors.Is(err, errForgotten) {
				c.lose(err)
				c.pool.running.Go(func() { s.retire(ctx) })
				c.pool.o.Metrics.UpstreamRestarted(c.s.Name)
				c.log.Info("mcp server session renewed")
				attempt = -1
				continue
			}
			if how := s.close(); how != nil {
				err = how
			}
		} else {
			old = !old // a server that fails with the newest protocol may work with the older one
		}
		c.lose(err)
		tried()
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > lasted {
			attempt = 0
		}
		c.pool.o.Metrics.UpstreamRestarted(c.s.Name)
		pause := c.pause(attempt)
		c.log.Warn("mcp server connection failed; retrying", zap.Duration("in", pause), zap.Error(err))
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

// startTime is the time a server has to start, and to list its tools.
func (c *client) startTime() time.Duration { return seconds(c.s.StartSeconds, defaultStart) }

func (c *client) pause(attempt int) time.Duration {
	pause := min(c.pool.o.Pause<<min(attempt, 10), maxPause)
	return pause/2 + rand.N(pause/2+1)
}

// maxRefusals is the number of times that a connected server may refuse to list its tools,
// such as with a status of a gateway, before its connection is ended.
const maxRefusals = 3

// keep lists the tools of a connected server repeatedly, until it is lost.
func (c *client) keep(ctx context.Context, s *session, listed func()) error {
	refused := -1 // until the first list
	for {
		tools, err := s.list(ctx, c.startTime())
		_, status := failureOfStatus(err)
		switch {
		case err == nil:
			refused = 0
			c.take(ctx, s, tools)
			listed()
		case refused >= 0 && forgotten(err):
			return errForgotten
		case refused >= 0 && refused < maxRefusals && status:
			refused++
			c.log.Warn("mcp server did not list its tools; the last list is kept", zap.Error(err))
		default:
			return err
		}
		if err := c.rest(ctx, s); err != nil {
			return err
		}
	}
}

// rest waits until the tools must be listed again: when the server reports a change, or
// after an interval. It waits at least Least, whatever the server reports.
func (c *client) rest(ctx context.Context, s *session) error {
	least, most := time.NewTimer(c.pool.o.Least), time.NewTimer(c.pool.o.Poll)
	defer least.Stop()
	defer most.Stop()
	over := func() error { return ctx.Err() }
	gone := func() error { return fmt.Errorf("its connection ended: %w", errors.Join(s.why, errEnded)) }
	select {
	case <-least.C:
	case <-s.stale:
		return errForgotten
	case <-s.lost:
		return gone()
	case <-ctx.Done():
		return over()
	}
	select {
	case <-c.wake:
	case <-most.C:
	case <-s.stale:
		return errForgotten
	case <-s.lost:
		return gone()
	case <-ctx.Done():
		return over()
	}
	return nil
}

var errEnded = errors.New("the server ended, or closed it")

// listAgain makes the tools be listed again soon. A server that does not answer is
// considered lost.
func (c *client) listAgain() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// take makes offers of the listed tools, and compares each with its approval.
func (c *client) take(ctx context.Context, s *session, tools []*mcp.Tool) {
	var offers []*offer
	var faults []Problem
	byName := map[string]*offer{}
	bounded, cancel := context.WithTimeout(ctx, pinTime)
	defer cancel()
	for _, t := range tools {
		if !c.s.offers(t.Name) {
			continue
		}
		o, err := c.s.offerOf(t, c.pool.o)
		if err == nil && byName[o.def.Name] != nil {
			err = fmt.Errorf("the name %s is that of another tool of the server", o.def.Name)
		}
		if err == nil && !c.ever[o.def.Name] && len(c.ever) >= maxListed {
			err = fmt.Errorf("the server has had %d tools of other names since the worker started; no more are taken", maxListed)
		}
		if err != nil {
			faults = append(faults, Problem{Server: c.s.Name, Tool: foreign.Text(t.Name, 80), Reason: foreign.Text(err.Error(), maxReason)})
			continue
		}
		if _, err := c.pool.approvals.See(bounded, c.s.pinned(o)); err != nil && ctx.Err() == nil {
			c.log.Warn("what is accepted of an MCP server's tool is not known now; it is withheld", zap.String("tool", o.def.Name), zap.Error(err))
			c.listAgain()
		}
		if len(o.unchecked) > 0 {
			reason := "offered; not checked before the server is called: " + strings.Join(o.unchecked, "; ")
			faults = append(faults, Problem{Server: c.s.Name, Tool: o.upstream, Reason: foreign.Text(reason, maxReason), Warning: true})
		}
		c.ever[o.def.Name] = true
		byName[o.def.Name] = o
		offers = append(offers, o)
	}
	for name := range c.s.Tools {
		if !has(tools, name) {
			faults = append(faults, Problem{
				Server:  c.s.Name,
				Tool:    name,
				Reason:  "the configuration has settings for it, and the server has no such tool",
				Warning: true,
			})
		}
	}
	c.mu.Lock()
	was := c.live
	c.live, c.why, c.listed, c.offers, c.byName, c.faults = s, nil, true, offers, byName, faults
	c.turned()
	c.mu.Unlock()
	if was == nil {
		c.log.Info("mcp server connected", zap.Int("tools", len(offers)), zap.Int("refused", len(faults)))
		c.pool.o.Metrics.UpstreamConnected(c.s.Name, 1)
	}
	c.pool.changed()
}

const (
	maxReason = 500 // bytes
	// pinTime bounds the look-ups of accepted definitions, for all tools of a server.
	pinTime = 20 * time.Second
)

func has(tools []*mcp.Tool, name string) bool {
	for _, t := range tools {
		if t.Name == name {
			return true
		}
	}
	return false
}

// lose marks the server as disconnected.
func (c *client) lose(err error) {
	c.mu.Lock()
	was := c.live
	c.live, c.why = nil, err
	c.turned()
	c.mu.Unlock()
	if was != nil {
		c.pool.o.Metrics.UpstreamConnected(c.s.Name, -1)
	}
	c.pool.changed()
}

// named returns the tool with that name, and the reason if the server is disconnected.
func (c *client) named(name string) (o *offer, listed bool, down error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.byName[name], c.listed, c.reason()
}

// reason returns why the server is disconnected; nil while a session is renewed. The caller
// holds the lock.
func (c *client) reason() error {
	if errors.Is(c.why, errForgotten) {
		return nil
	}
	return c.why
}

// state returns the current state of the server.
func (c *client) state() (offers []*offer, faults []Problem, down error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.offers, c.faults, c.reason()
}
