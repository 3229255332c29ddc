package execution

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// fault is the failure of one request to a store or to the queue.
type fault int

const (
	none    fault = iota
	refused       // it is not carried out, and an error is returned
	unheard       // it is carried out, and an error is returned
)

var errLost = errors.New("no answer")

// kind names the effects of a tool, and the form of the store.
type kind struct {
	name                string
	mutates, idempotent bool
	single              bool // each result is stored by itself
}

var (
	reading    = kind{name: "reading"}
	single     = kind{name: "reading without groups", single: true}
	repeatable = kind{name: "repeatable", mutates: true, idempotent: true}
	acting     = kind{name: "acting", mutates: true}
)

func (k kind) unrepeatable() bool { return k.mutates && !k.idempotent }

// model is a queue, its stores and its workers.
type model struct {
	tb    testing.TB
	entry *engine.Entry
	kind  kind
	// faults and delays are chosen by them, in each request; both are none after calm.
	fault func(op string) fault
	delay func(op string) time.Duration
	// parks has the call wait for a person once. Lacking is a worker without the tool,
	// denying a worker that refuses the call.
	parks            bool
	lacking, denying *node
	// toolTime is the time that the tool runs, value its result.
	toolTime time.Duration
	value    string
	// home is the answer of the router, loadErr that of the store of arguments.
	home    *Home
	homeErr error
	// lost are the workers that may have had an attempt before.
	lost    []string
	loadErr error

	mu       sync.Mutex
	calm     bool
	ops      map[string]int
	events   []string
	shortage Shortage
	calls    map[string]*modelCall
	groups   map[string]bool
	queue    []*message
	nodes    []*node
	taken    []*modelDelivery
	made     int
	wrong    []string // broken promises
}

// modelCall is all that is stored of a call.
type modelCall struct {
	results []modelResult // in the order of the store
	fence   *call.Fence
	started int // started records
	parked  bool
	effects []string // the workers on which its tool acted
	running map[*node]int
}

// modelResult is a stored result. The server compares the results that are alone.
type modelResult struct {
	protocol.Result
	record protocol.AuditRecord
	alone  bool
	at     time.Time
}

// node is a worker.
type node struct {
	m    *model
	id   string
	x    *Executor
	dead bool
}

// message is the call in the queue.
type message struct {
	call       Call
	deliveries int
	holders    []*modelDelivery
	gone       bool
}

// modelDelivery implements [Delivery].
type modelDelivery struct {
	n     *node
	msg   *message
	call  Call
	freed int
	ends  []string
}

var (
	metrics = telemetry.NewMetrics()
	pool    = metrics.Pool("p")
)

func newModel(tb testing.TB, k kind) *model {
	tb.Helper()
	m := &model{
		tb: tb, kind: k, ops: map[string]int{}, groups: map[string]bool{}, calls: map[string]*modelCall{}, toolTime: 40 * time.Millisecond,
		value: "done", fault: func(string) fault { return none }, delay: func(string) time.Duration { return time.Millisecond },
	}
	set := tool.NewSet("Test", "test")
	tool.Add(set, tool.Spec[struct{}, string]{
		Name: "work", Description: "Works.", Risk: tool.Low, Mutates: k.mutates, Idempotent: k.idempotent, Timeout: time.Minute, Run: m.run,
	})
	entry, err := engine.NewEntry(set.Tools()[0])
	if err != nil {
		tb.Fatal(err)
	}
	m.entry = entry
	return m
}

// run is the tool. It acts at the end of its time.
func (m *model) run(ctx context.Context, call *tool.Call, _ struct{}) (string, error) {
	e, _ := call.Events.(eventEmitter) // which has the worker
	v, _ := e.events.(view)
	by := v.n
	m.mu.Lock()
	c := m.call(call.ID)
	if c.running[by]++; c.running[by] > 1 {
		m.breaksf("%s runs %s twice at a time", by.id, call.ID)
	}
	m.mu.Unlock()
	var err error
	select {
	case <-time.After(m.toolTime):
	case <-ctx.Done():
		err = ctx.Err()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if c.running[by]--; err != nil {
		return "", err
	}
	if by.dead {
		return "", errLost
	}
	if f := c.fence; m.kind.unrepeatable() && (f == nil || f.Ended != "" || f.By != by.id || f.Attempt != call.Attempt || c.started == 0) {
		m.breaksf("%s acts in attempt %d behind the fence %+v, with %d started records", by.id, call.Attempt, f, c.started)
	}
	if first := slices.IndexFunc(c.results, alone); first >= 0 && c.results[first].at.Before(e.call.Received) {
		m.breaksf("%s runs attempt %d, which came when there was a result", by.id, call.Attempt)
	}
	c.effects = append(c.effects, by.id)
	return m.value, nil
}

func alone(r modelResult) bool { return r.alone }

// call returns what is stored of a call. The caller holds the lock.
func (m *model) call(id string) *modelCall {
	if m.calls[id] == nil {
		m.calls[id] = &modelCall{running: map[*node]int{}}
	}
	return m.calls[id]
}

func (m *model) breaksf(format string, args ...any) {
	m.wrong = append(m.wrong, fmt.Sprintf(format, args...))
}

// ask waits for the answer to a request and returns its fault. The caller holds no lock.
func (m *model) ask(n *node, op string) fault {
	m.mu.Lock()
	calm := m.calm
	m.mu.Unlock()
	if !calm {
		<-time.After(m.delay(op))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case n.dead:
		return refused
	case m.calm:
		return none
	}
	return m.fault(op)
}

// seeded returns choices that depend on the seed, the request, and its number alone.
func (m *model) seeded(seed, rate uint64) {
	pick := func(op, what string) uint64 {
		h := fnv.New64a()
		fmt.Fprint(h, seed, what, op, m.ops[op])
		return h.Sum64() >> 8
	}
	m.fault = func(op string) fault {
		m.ops[op]++
		if h := pick(op, "fault "); h%100 < rate {
			return fault(1 + h>>16%2)
		}
		return none
	}
	m.delay = func(op string) time.Duration {
		m.mu.Lock()
		defer m.mu.Unlock()
		return time.Duration(1+pick(op, "delay ")%120) * time.Millisecond
	}
}

// add starts a worker.
func (m *model) add() *node {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.made++
	n := &node{m: m, id: fmt.Sprint("w", m.made)}
	v := view{m, n}
	var groups Groups = v
	if m.kind.single {
		groups = nil
	}
	n.x = New(Deps{
		Worker: n.id, Pools: map[string]*telemetry.Pool{"p": pool}, Slots: 4, MaxAttempts: 6, InlineLimit: 1 << 10,
		Results: v, Groups: groups, Records: recordView{v}, Fences: fenceView{v}, Owners: v, Events: v, Storage: v, Router: v, Metrics: metrics,
		Tracing: &telemetry.Tracing{},
		Log:     zap.New(zapcore.NewNopCore(), zap.Development()), // which panics at an illegal transition
	})
	n.x.Use(engine.New(engine.Deps{Catalog: v, Access: v, Policy: v, Ledger: n.x.Ledger(), Ports: v, Record: v}))
	m.nodes = append(m.nodes, n)
	return n
}

// kill ends a worker: nothing it does afterwards arrives, and its deliveries are lost.
func (m *model) kill(n *node) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n.dead = true
	n.x.Close()
	n.x.Stop()
	m.nodes = slices.DeleteFunc(m.nodes, func(o *node) bool { return o == n })
	for _, msg := range m.queue {
		msg.holders = slices.DeleteFunc(msg.holders, func(d *modelDelivery) bool { return d.n == n })
	}
}

// submit queues a call.
func (m *model) submit(id string, change func(*Call)) {
	c := Call{Call: &call.Call{
		ID: id, TraceID: "t", Tenant: "acme", User: "ann", Tool: "work", Pool: "p", Origin: "d1", Arguments: []byte(`{}`),
		AcceptedMS: time.Now().UnixMilli(), StartByMS: time.Now().Add(time.Minute).UnixMilli(), Grouped: !m.kind.mutates,
	}}
	change(&c)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.queue = append(m.queue, &message{call: c})
}

// deliver hands a message to a worker.
func (m *model) deliver(msg *message, n *node) *modelDelivery {
	m.mu.Lock()
	msg.deliveries++
	d := &modelDelivery{n: n, msg: msg, call: msg.call}
	own := *msg.call.Call
	d.call.Call = &own
	d.call.Attempt, d.call.Received = msg.call.Attempt+msg.deliveries, time.Now()
	msg.holders = append(msg.holders, d)
	m.taken = append(m.taken, d)
	m.mu.Unlock()
	go n.x.Take(&d.call, d)
	return d
}

// undelivered returns a message that no worker holds.
func (m *model) undelivered() *message {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, msg := range m.queue {
		if !msg.gone && len(msg.holders) == 0 {
			return msg
		}
	}
	return nil
}

// over ends a delivery. It reports false if its worker is dead.
func (d *modelDelivery) over(how string) bool {
	d.ends = append(d.ends, how)
	if len(d.ends) > 1 && !slices.Equal(d.ends, []string{"moved", "returned"}) {
		d.n.m.breaksf("a delivery ended as %q", d.ends)
	}
	d.msg.holders = slices.DeleteFunc(d.msg.holders, func(o *modelDelivery) bool { return o == d })
	return !d.n.dead
}
