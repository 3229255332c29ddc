package program

import (
	"sync"

	"github.com/helve-dev/helve/internal/bus/programs"
	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// known is a program as every dispatcher holds it: enough to list it, and to wake it.
type known struct {
	key                                                  programs.Key
	state                                                durable.State
	tool, pool, user, agent, conversation, trace, parent string
	around                                               []programs.Key // the programs around it
	tokens                                               []durable.Token
	rerunOf, retriedBy                                   string
	runs                                                 string // the tool, also by way of use_tool
	via, toolCallID                                      string
	status, message                                      string
	errorType                                            tool.Kind
	startedMS, deadlineMS, endedMS, atMS                 int64
	steps, wake                                          int
	cancelled                                            bool
	waits                                                []protocol.ProgramWait
}

func knownOf(k programs.Key, p *durable.Program) *known {
	c := p.Call
	runs, _ := given(c)
	return &known{
		key: k, state: p.State, runs: runs, tool: c.Tool, pool: p.Pool, user: c.User, agent: c.Agent,
		conversation: c.Conversation, trace: c.TraceID, parent: c.Parent, via: c.Via, toolCallID: c.ToolCallID,
		around: aroundOf(k, p), tokens: p.Tokens, rerunOf: c.RerunOf, retriedBy: p.RetriedBy,
		status: p.Status, message: p.Message, errorType: p.ErrorType, startedMS: p.StartedMS, deadlineMS: p.DeadlineMS, endedMS: p.EndedMS,
		atMS: p.ChangedMS, steps: p.Steps, wake: p.Wake, cancelled: p.Cancelled, waits: p.Waits,
	}
}

// person is a person of a tenant.
type person struct{ tenant, user string }

// index holds the programs that are stored.
type index struct {
	mu      sync.Mutex
	all     map[programs.Key]*known
	persons map[person]int // programs that have not ended
	tenants map[string]int
	// changed receives that programs have changed, in touched; who wakes programs reads it.
	changed chan struct{}
	touched map[programs.Key]bool
	// gone are the programs that waited when they were removed.
	gone map[programs.Key]*gone
}

func newIndex() *index {
	return &index{
		all: map[programs.Key]*known{}, persons: map[person]int{}, tenants: map[string]int{},
		changed: make(chan struct{}, 1), touched: map[programs.Key]bool{}, gone: map[programs.Key]*gone{},
	}
}

func (x *index) set(k programs.Key, p *durable.Program) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if old := x.all[k]; old != nil {
		x.count(old, -1)
		delete(x.all, k)
		x.note(k, old, p)
	}
	if p != nil {
		now := knownOf(k, p)
		x.all[k] = now
		x.count(now, 1)
	}
	x.touched[k] = true
	select {
	case x.changed <- struct{}{}:
	default:
	}
}

func (x *index) count(of *known, by int) {
	if of.state == durable.Done {
		return
	}
	who := person{of.key.Tenant, of.user}
	if x.persons[who] += by; x.persons[who] == 0 {
		delete(x.persons, who)
	}
	if x.tenants[of.key.Tenant] += by; x.tenants[of.key.Tenant] == 0 {
		delete(x.tenants, of.key.Tenant)
	}
}

// open counts the programs of a person and of a tenant that have not ended.
func (x *index) open(tenant, user string) (ofPerson, ofTenant int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.persons[person{tenant, user}], x.tenants[tenant]
}

func (x *index) get(k programs.Key) *known {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.all[k]
}

// each calls f for every program; f must not call the index.
func (x *index) each(f func(*known)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, k := range x.all {
		f(k)
	}
}

// takeTouched returns the programs that have changed since it was called last.
func (x *index) takeTouched() []programs.Key {
	x.mu.Lock()
	defer x.mu.Unlock()
	keys := make([]programs.Key, 0, len(x.touched))
	for k := range x.touched {
		keys = append(keys, k)
	}
	clear(x.touched)
	return keys
}
