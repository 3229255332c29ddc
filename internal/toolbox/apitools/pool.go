package apitools

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/toolbox/upstream/approvals"
	"github.com/helve-dev/helve/tool"
)

// Metrics receives the state of the documents.
type Metrics interface {
	// UpstreamWithheld sets how many tools of a document are withheld.
	UpstreamWithheld(server string, n int)
}

// Options configure a pool.
type Options struct {
	// File is the path of the file of documents.
	File   string
	Bucket approvals.Bucket
	// Worker is recorded with the definitions it sees; Home is the pool of the tools.
	Worker, Home string
	Metrics      Metrics
	Log          *zap.Logger
	// Changed is called, on one goroutine of the pool, when the offered or withheld tools
	// or the problems may have changed, and again later if it returns false. Its context
	// ends with the pool.
	Changed func(ctx context.Context) bool
}

// Pool is the documents of a worker.
type Pool struct {
	o         Options
	approvals *approvals.Store
	news      chan struct{}
	end       context.CancelFunc
	running   sync.WaitGroup

	mu       sync.Mutex
	docs     []*document
	problems []Problem // of the file
	paths    []string  // of the documents
	byName   map[string]*offer
	byID     map[string]*tool.Tool // by identity
	// unseen is set while it is not known which definitions are accepted.
	unseen bool
}

// Open reads the file and its documents, and follows their changes until Close, or until
// ctx ends. The error concerns the file as a whole.
func Open(ctx context.Context, o Options) (*Pool, error) {
	life, end := context.WithCancel(ctx)
	p := &Pool{o: o, news: make(chan struct{}, 1), end: end, byName: map[string]*offer{}, byID: map[string]*tool.Tool{}}
	var err error
	if p.approvals, err = approvals.Follow(life, o.Bucket, o.Worker, o.Log, p.changed); err != nil {
		end()
		return nil, err
	}
	seen, err := p.load(life)
	if err != nil {
		end()
		return nil, err
	}
	p.running.Go(func() { p.watch(life, seen) })
	p.running.Go(func() { p.notify(life) })
	return p, nil
}

// notify calls Changed until ctx ends.
func (p *Pool) notify(ctx context.Context) {
	for {
		select {
		case <-p.news:
		case <-ctx.Done():
			return
		}
		if p.o.Changed(ctx) {
			continue
		}
		select {
		case <-time.After(again):
			p.changed()
		case <-ctx.Done():
			return
		}
	}
}

// Close ends the pool.
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
	// Tools may be called, by document; Withheld are placeholders for tools that may not,
	// disabled.
	Tools    []Offered
	Withheld []tool.Definition
	Problems []Problem
}

// Offered are the tools of one document.
type Offered struct {
	API   *API
	Tools []*tool.Tool
}

// State returns the tools to offer and to withhold, and the problems to report.
func (p *Pool) State() State {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := State{Problems: append([]Problem{}, p.problems...)}
	used := map[string]*tool.Tool{}
	for _, d := range p.docs {
		s.Problems = append(s.Problems, d.problems...)
		offered, held := Offered{API: &d.api}, []string{}
		for _, o := range d.offers {
			if approval := p.approvals.Of(o.def.Name); !approval.Open(o.hash) {
				s.Withheld = append(s.Withheld, placeholder(o, approval))
				held = append(held, o.def.Name)
				continue
			}
			t, id, err := p.made(o)
			if err != nil {
				s.Problems = append(s.Problems, d.problem(o.op.ID, err.Error()))
				continue
			}
			used[id] = t
			offered.Tools = append(offered.Tools, t)
		}
		s.Tools = append(s.Tools, offered)
		s.Problems = append(s.Problems, d.withheld(held)...)
		p.o.Metrics.UpstreamWithheld(d.api.Name, len(held))
	}
	p.byID = used
	return s
}

// made returns the tool of an offer; it is the same one while nothing changes.
func (p *Pool) made(o *offer) (*tool.Tool, string, error) {
	text, err := json.Marshal(o.def)
	if err != nil {
		return nil, "", err
	}
	sum := sha256.Sum256(append(text, o.hash...))
	identity := hex.EncodeToString(sum[:])
	if t := p.byID[identity]; t != nil {
		return t, identity, nil
	}
	t, err := tool.NewUntyped(o.def, o.needs(), tool.Untyped{
		Once: true,
		Check: func(ctx context.Context, call *tool.Call, _ json.RawMessage) error {
			return o.check(ctx, call)
		},
		Run: func(ctx context.Context, call *tool.Call, args json.RawMessage) (tool.Result, error) {
			now := p.current(o)
			if now == nil {
				return tool.Result{}, approvals.Withheld(o.def.Name)
			}
			return now.call(ctx, call, args)
		},
	})
	if err != nil {
		return nil, "", err
	}
	t.Identity = identity // a person's approval covers this definition only
	t.ParameterAliases = maps.Clone(o.plan.aliases)
	return t, identity, nil
}

// current returns the offer with the definition that a call was authorized with; nil if it
// changed, or is no longer accepted.
func (p *Pool) current(o *offer) *offer {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.byName[o.def.Name]
	if now == nil || now.hash != o.hash || !p.approvals.Of(o.def.Name).Open(o.hash) {
		return nil
	}
	return now
}

// Refuses returns the reason why a tool of a document cannot be called now, nil if it can
// or is not a document's.
func (p *Pool) Refuses(name string) *tool.Error {
	p.mu.Lock()
	o := p.byName[name]
	p.mu.Unlock()
	if o != nil && !p.approvals.Of(name).Open(o.hash) {
		return approvals.Withheld(name)
	}
	return nil
}

// placeholder returns the stand-in for a withheld tool, without any text of its document.
func placeholder(o *offer, approval *approvals.Approval) tool.Definition {
	def := o.def
	def.Enabled = false
	def.Description = "Withheld until an operator accepts its definition."
	if approval != nil && len(approval.Accepted) > 0 {
		def.Description = "Withheld: its definition changed after it was accepted."
	}
	def.Parameters, def.ResultSchema, def.Tags = json.RawMessage(`{"type":"object"}`), nil, []string{"api"}
	return def
}

// withheld returns the problems of tools that are withheld: one for each of a few, or one
// for all.
func (d *document) withheld(names []string) []Problem {
	const few = 20
	if len(names) > few {
		return []Problem{
			d.problem("", fmt.Sprintf(
				"%d of its tools are withheld: an operator has not accepted the definitions that the document has now; "+
					"'helve upstream list' lists them, and 'helve upstream accept --all-of %s' accepts them",
				len(names), d.api.Name,
			)),
		}
	}
	var list []Problem
	for _, name := range names {
		list = append(list, d.problem("", approvals.Withheld(name).Msg))
	}
	return list
}
