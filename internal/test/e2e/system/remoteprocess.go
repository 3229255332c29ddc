package system

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// RemoteProcess is a process that runs tools for Helve: a program in any language, here a
// separate connection.
type RemoteProcess struct {
	T          testing.TB
	Conn       *nats.Conn
	Tenant, ID string

	mu    sync.Mutex
	asked []RemoteCall
}

// RemoteProcess connects a remote process of a tenant.
func (s *System) RemoteProcess(t testing.TB, tenant, id string) *RemoteProcess {
	t.Helper()
	nc, err := nats.Connect(s.Conn.ConnectedUrl())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return &RemoteProcess{T: t, Conn: nc, Tenant: tenant, ID: id}
}

// Answer registers a function for each call of a tool that this process receives.
func (p *RemoteProcess) Answer(tool string, each func(q RemoteCall)) {
	p.T.Helper()
	_, err := p.Conn.QueueSubscribe("helve.v1."+p.Tenant+".remote."+tool, "helve-remote", func(m *nats.Msg) {
		q := RemoteCall{Raw: string(m.Data), Msg: m}
		if err := json.Unmarshal(m.Data, &q); err != nil {
			p.T.Errorf("the process was asked %q: %v", m.Data, err)
		}
		p.mu.Lock()
		p.asked = append(p.asked, q)
		p.mu.Unlock()
		each(q)
	})
	if err == nil {
		err = p.Conn.Flush()
	}
	if err != nil {
		p.T.Fatal(err)
	}
}

// Always answers every call of a tool in the same way.
func (p *RemoteProcess) Always(tool, text string) {
	p.T.Helper()
	p.Answer(tool, func(q RemoteCall) { q.Respond(p.T, text) })
}

// Received returns the requests that this process has received.
func (p *RemoteProcess) Received() []RemoteCall {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.asked)
}

// TryRegister registers the definitions and returns the answer.
func (p *RemoteProcess) TryRegister(d Door, ttl int, definitions string) Reply {
	p.T.Helper()
	return d.Ask(p.T, p.Tenant, "remote.register", nil, fmt.Sprintf(`{"instance": %q, "ttl_ms": %d, "tools": [%s]}`, p.ID, ttl, definitions))
}

// Register registers the definitions, and fails the test if they are refused.
func (p *RemoteProcess) Register(d Door, ttl int, definitions string) {
	p.T.Helper()
	if r := p.TryRegister(d, ttl, definitions); r.Status != 200 {
		p.T.Fatalf("remote.register = %d %s, want 200", r.Status, r.Body)
	}
}

// RemoteCall is a call in the form that a remote process receives.
type RemoteCall struct {
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

	Raw string    `json:"-"`
	Msg *nats.Msg `json:"-"`
}

// Respond sends the outcome of a call.
func (q RemoteCall) Respond(t testing.TB, text string) {
	if err := q.Msg.Respond([]byte(text)); err != nil {
		t.Errorf("a remote process could not answer: %v", err)
	}
}
