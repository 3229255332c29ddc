package upstream

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/toolbox/foreign"
	"github.com/helve-dev/helve/internal/toolbox/upstream/approvals"
	"github.com/helve-dev/helve/tool"
)

// Metrics receives the state of the servers.
type Metrics interface {
	// UpstreamConnected counts connections: 1 when a server is connected, -1 when it is
	// lost, 0 when it becomes known.
	UpstreamConnected(server string, delta int)
	UpstreamRestarted(server string)
	// UpstreamWithheld sets how many tools of a server are withheld.
	UpstreamWithheld(server string, n int)
	UpstreamCalled(server, outcome string, took time.Duration)
}

// Options configure a pool.
type Options struct {
	Servers []Server
	Bucket  approvals.Bucket
	// Worker is recorded with the definitions it sees, Pool is the pool of the tools,
	// and Version is sent to servers.
	Worker, Pool, Version string
	// Permissions are those that the operator defined, AllowHosts the hosts that the
	// guard allows.
	Permissions, AllowHosts []string
	Metrics                 Metrics
	Log                     *zap.Logger
	// Trace, if set, begins the span of a call. It returns the trace context for the
	// server, empty for none, and the function that ends the span.
	Trace func(ctx context.Context, server, url, tool string) (_ context.Context, traceparent string, end func(errorType string))
	// Changed is called, on one goroutine of the pool, when the offered or withheld
	// tools or the problems changed. Its context ends with the pool.
	Changed func(ctx context.Context)

	// Pause, Least, Poll and Patience default to 500 ms, 1 s, a minute and 2 s: the
	// first pause before a server is restarted, the shortest and longest interval of
	// listing tools, and the time a server has to exit by itself.
	Pause, Least, Poll, Patience time.Duration
}

// Pool is the servers of a worker.
type Pool struct {
	o         Options
	clients   []*client
	approvals *approvals.Store
	news      chan struct{}
	end       context.CancelFunc
	running   sync.WaitGroup

	mu   sync.Mutex
	byID map[string]*tool.Tool // by identity
}

// Open starts the servers, which run until Close, or until ctx ends. Their tools appear
// when they answer.
func Open(ctx context.Context, o Options) (*Pool, error) {
	o.Pause, o.Least = cmp.Or(o.Pause, firstPause), cmp.Or(o.Least, time.Second)
	o.Poll, o.Patience = cmp.Or(o.Poll, time.Minute), cmp.Or(o.Patience, 2*time.Second)
	life, end := context.WithCancel(ctx)
	p := &Pool{o: o, news: make(chan struct{}, 1), end: end, byID: map[string]*tool.Tool{}}
	var err error
	if p.approvals, err = approvals.Follow(life, o.Bucket, o.Worker, o.Log, p.changed); err != nil {
		end()
		return nil, err
	}
	for _, s := range o.Servers {
		p.clients = append(p.clients, newClient(s, p))
		o.Metrics.UpstreamConnected(s.Name, 0)
	}
	for _, c := range p.clients {
		p.running.Go(func() { c.run(life) })
	}
	p.running.Go(func() {
		for {
			select {
			case <-p.news:
				o.Changed(life)
			case <-life.Done():
				return
			}
		}
	})
	return p, nil
}

// Tried waits until every server has answered, or failed to, once; or until ctx ends.
func (p *Pool) Tried(ctx context.Context) {
	for _, c := range p.clients {
		select {
		case <-c.tried:
		case <-ctx.Done():
			return
		}
	}
}

// Close ends all servers and returns when all their processes have ended.
func (p *Pool) Close() {
	p.end()
	p.running.Wait()
}

func (p *Pool) changed() {
	select {
	case p.news <- struct{}{}:
	default:
	}
}

// State is the current state of a pool.
type State struct {
	// Tools may be called; Withheld are placeholders for tools that may not, disabled.
	Tools    []*tool.Tool
	Withheld []tool.Definition
	Problems []Problem
	// Listed are the servers whose tools are known.
	Listed []string
}

// State returns the tools to offer and to withhold, and the problems to report.
func (p *Pool) State() State {
	var s State
	owner := map[string]string{}
	for _, c := range p.clients {
		offers, faults, down := c.state()
		s.Problems = append(s.Problems, faults...)
		if down != nil {
			s.Problems = append(s.Problems, Problem{Server: c.s.Name, Reason: "the server is not there: " + foreign.Text(plainly(down), maxReason)})
		}
		if c.hasListed() {
			s.Listed = append(s.Listed, c.s.Name)
		}
		held := 0
		for _, o := range offers {
			key := strings.ReplaceAll(o.def.Name, ".", "_")
			if other, taken := owner[key]; taken {
				s.Problems = append(s.Problems, Problem{
					Server: c.s.Name,
					Tool:   o.upstream,
					Reason: fmt.Sprintf("the name %s is that of a tool of the server %s; give one of them another prefix", o.def.Name, other),
				})
				continue
			}
			owner[key] = c.s.Name
			if approval := p.approvals.Of(o.def.Name); !approval.Open(o.hash) {
				held++
				s.Withheld = append(s.Withheld, placeholder(o, approval))
				s.Problems = append(s.Problems, Problem{Server: c.s.Name, Tool: o.upstream, Reason: approvals.Withheld(o.def.Name).Msg})
				continue
			}
			t, err := p.made(c, o)
			if err != nil {
				s.Problems = append(s.Problems, Problem{Server: c.s.Name, Tool: o.upstream, Reason: err.Error()})
				continue
			}
			s.Tools = append(s.Tools, t)
		}
		p.o.Metrics.UpstreamWithheld(c.s.Name, held)
	}
	return s
}

// plainly returns the reason why a server is not connected, without the URL of a
// request, which may contain a secret.
func plainly(err error) string {
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	return err.Error()
}

func (c *client) hasListed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.listed
}

// made returns the tool of an offer; it is the same one while nothing changes.
func (p *Pool) made(c *client, o *offer) (*tool.Tool, error) {
	text, err := json.Marshal(o.def)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(append(text, o.hash...))
	identity := hex.EncodeToString(sum[:])
	p.mu.Lock()
	defer p.mu.Unlock()
	if t := p.byID[identity]; t != nil {
		return t, nil
	}
	t, err := tool.New(o.def, 0, func(ctx context.Context, call *tool.Call, args json.RawMessage) (tool.Result, error) {
		return c.call(ctx, call, o, args)
	})
	if err != nil {
		return nil, err
	}
	// An approval of a tool covers this definition only.
	t.Identity = identity
	for id, old := range p.byID {
		if old.Name == t.Name {
			delete(p.byID, id)
		}
	}
	p.byID[identity] = t
	return t, nil
}

// placeholder returns the stand-in for a withheld tool, without any text of its server.
func placeholder(o *offer, approval *approvals.Approval) tool.Definition {
	def := o.def
	def.Enabled = false
	def.Description = "Withheld until an operator accepts its definition."
	if approval != nil && len(approval.Accepted) > 0 {
		def.Description = "Withheld: its definition changed after it was accepted."
	}
	def.Parameters, def.ResultSchema, def.Tags = json.RawMessage(`{"type":"object"}`), nil, []string{"mcp"}
	return def
}

func (c *client) down(name string) *tool.Error {
	return tool.Fail(tool.ToolNotAvailable,
		"'%s' is not available: the MCP server %s, which runs it, is not there now, so nothing was done; try again later, or tell the operator",
		name, c.s.Name)
}

// Refuses returns the reason why a server's tool cannot be called now, nil if it can or
// is not a server's.
func (p *Pool) Refuses(name string) *tool.Error {
	for _, c := range p.clients {
		o, listed, down := c.named(name)
		switch {
		case o != nil && down != nil:
			return c.down(name)
		case o != nil && !p.approvals.Of(name).Open(o.hash):
			return approvals.Withheld(name)
		case o != nil:
			return nil
		case down != nil && !listed && c.s.prefix() != "" && strings.HasPrefix(name, c.s.prefix()):
			return c.down(name)
		}
	}
	return nil
}
