package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// outside is a process that runs tools and is no worker: a program in any language,
// played by a connection of its own.
type outside struct {
	t          testing.TB
	nc         *nats.Conn
	tenant, id string

	mu    sync.Mutex
	asked []question
}

func (s *system) outside(t testing.TB, tenant, id string) *outside {
	t.Helper()
	nc, err := nats.Connect(s.nc.ConnectedUrl())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return &outside{t: t, nc: nc, tenant: tenant, id: id}
}

// question is a call as such a process is asked it.
type question struct {
	CallID    string          `json:"call_id"`
	TraceID   string          `json:"trace_id"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Context   struct {
		User         string `json:"user"`
		Conversation string `json:"conversation"`
	} `json:"context"`
	Attempt  int       `json:"attempt"`
	Deadline time.Time `json:"deadline"`

	raw string
	msg *nats.Msg
}

// answer is called for each call of a tool that this process is given.
func (p *outside) answer(tool string, each func(q question)) {
	p.t.Helper()
	_, err := p.nc.QueueSubscribe("helve.v1."+p.tenant+".remote."+tool, "helve-remote", func(m *nats.Msg) {
		q := question{raw: string(m.Data), msg: m}
		if err := json.Unmarshal(m.Data, &q); err != nil {
			p.t.Errorf("the process was asked %q: %v", m.Data, err)
		}
		p.mu.Lock()
		p.asked = append(p.asked, q)
		p.mu.Unlock()
		each(q)
	})
	if err == nil {
		err = p.nc.Flush()
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// heard is what this process was asked until now.
func (p *outside) heard() []question {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.asked)
}

// always answers every call of a tool in the same way.
func (p *outside) always(tool, text string) {
	p.t.Helper()
	p.answer(tool, func(q question) { q.say(p.t, text) })
}

func (q question) say(t testing.TB, text string) {
	if err := q.msg.Respond([]byte(text)); err != nil {
		t.Errorf("answer: %v", err)
	}
}

// long is a ttl in which no test ends, so that it needs no heartbeat.
const long = 300000

// tell registers the definitions, and returns what it is answered.
func (p *outside) tell(d door, ttl int, definitions string) reply {
	p.t.Helper()
	return d.ask(p.t, p.tenant, "remote.register", nil, fmt.Sprintf(`{"instance": %q, "ttl_ms": %d, "tools": [%s]}`, p.id, ttl, definitions))
}

// register is tell that must succeed.
func (p *outside) register(d door, ttl int, definitions string) {
	p.t.Helper()
	if r := p.tell(d, ttl, definitions); r.status != 200 {
		p.t.Fatalf("remote.register = %d %s, want 200", r.status, r.body)
	}
}

// reads is the definition of a tool that changes nothing, with what is added to it.
func reads(name, more string) string {
	return fmt.Sprintf(`{"name": %q, "description": "Looks something up.", "mutates": false, "timeout_seconds": 60,
		"parameters": {"type": "object", "properties": {"n": {"type": "number", "default": 7}}}%s}`, name, more)
}

// acts is that of one that changes something and cannot be run twice.
func acts(name, more string) string {
	return fmt.Sprintf(`{"name": %q, "description": "Does something.", "timeout_seconds": 60, "args_schema": {"properties": {}}%s}`, name, more)
}
