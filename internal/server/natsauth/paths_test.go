package natsauth

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/bus/embedded"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/api"
)

// nested are calls whose tool makes other calls: each reads what a plain call does not.
var nested = map[string]string{
	"use_tool":         `{"tool_name": "debug.echo", "arguments": {"value": 1}}`,
	"batch_use_tool":   `{"calls": [{"tool_name": "debug.echo", "arguments": {"value": 1}}, {"tool_name": "write_file", "arguments": {"path": "n.txt", "content": "x"}}, {"tool_name": "add_task", "arguments": {"title": "t"}}]}`,
	"run_program":      `{"code": "return (await tools.calculate({expression: '1+1'})).result"}`,
	"search_tools":     `{"query": "file"}`,
	"add_task":         `{"title": "t"}`,
	"create_tool":      `{"name": "adder", "description": "Add; returns the sum.", "parameters": {"type": "object"}, "code": "return await utils.callTool('calculate', {expression: '1+2'})"}`,
	"debug.restricted": `{}`,
}

// everyPath drives every operation and every nested path with the credentials of front ends:
// as a tenant's roles, an agent with a record, one without, and a person. What the answers are
// is not examined here.
func (s *system) everyPath(t *testing.T, as func(role string) caller) {
	t.Helper()
	ask := func(c caller, operation, body string) string {
		m, err := c.Request("helve.v1.acme.api."+operation, []byte(body), patience())
		if err != nil {
			t.Errorf("%s: %v (%v)", operation, err, c.LastError())
			return ""
		}
		return string(m.Data)
	}
	admin, agent := as("admin"), as("agent")
	ask(admin, "agents.put",
		`{"agent": "clerk", "tools": ["use_tool", "batch_use_tool", "run_program", "create_tool", "search_tools", "debug.echo"]}`)
	for _, by := range []string{"", "clerk", "nobody"} {
		for name, arguments := range nested {
			ask(agent, "execute",
				`{"context": {"user": "u9", "agent": "`+by+`"}, "wait_ms": 20000, "calls": [{"tool": "`+name+`", "arguments": `+arguments+`}]}`)
		}
	}
	for _, op := range api.Operations() {
		if op.Name == api.Execute || op.Name == api.Events || strings.HasPrefix(op.Name, "workers.") || strings.HasPrefix(op.Name, "pools.") ||
			op.Name == "audit.rebuild" {
			continue // driven above, no request, and what would stop the workers of other tests
		}
		role := identity.Admin
		if len(op.Roles) > 0 && !slices.Contains(op.Roles, role) {
			role = op.Roles[0]
		}
		if role == identity.Auditor && (strings.HasPrefix(op.Name, "calls.") || op.Name == "programs.get") || !s.may(role, op.Name) {
			continue
		}
		fields := map[string]any{
			"user":    "u9",
			"owner":   "u9",
			"name":    "adder",
			"agent":   "clerk",
			"service": "openai",
			"label":   "default",
			"limit":   5,
			"path":    "n.txt",
			"seq":     1,
		}
		body, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		ask(as(string(role)), op.Name, string(body))
	}
}

// may reports whether a front end of a role may ask for an operation over NATS.
func (s *system) may(role identity.Role, operation string) bool {
	p, err := User{Role: Role(role), Tenant: "acme"}.Permissions("helve.v1")
	return err == nil && slices.Contains(p.Publish, "helve.v1.acme.api."+operation)
}

// TestEveryPath: whatever is asked of Helve, no process of it is refused anything by the
// server, with the credentials of each template.
func TestEveryPath(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(t *testing.T) *system{
		"shared": func(*testing.T) *system { return shared },
		"apart":  func(t *testing.T) *system { return begun(t, "default") },
		"up":     asUp,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := begin(t)
			file := func(role string) caller { return s.as(t, "acme."+role) }
			if s.up {
				file = func(string) caller { return s.as(t, string(localRole)) }
			}
			s.everyPath(t, file)
			if lines := s.logs.violations(); len(lines) > 0 {
				t.Errorf("refused:\n%s", lines)
			}
		})
	}
}

// begun returns a system of its own.
func begun(t *testing.T, apart ...string) *system {
	t.Helper()
	s, err := start(t.TempDir(), apart...)
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Errorf("drain: %v", err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asUp returns a system with the credentials that `helve up` makes.
func asUp(t *testing.T) *system {
	t.Helper()
	s := &system{dir: t.TempDir(), logs: &transcript{}, up: true}
	l := Local{Dir: s.dir, Prefix: "helve.v1", Pools: []string{"default"}, Affinity: true}
	made, err := l.Users()
	if err != nil {
		t.Fatal(err)
	}
	var users []embedded.User
	for _, u := range made {
		users = append(users, embedded.User{Key: u.Key, Publish: u.May.Publish, Subscribe: u.May.Subscribe, Answer: u.May.Answer})
	}
	srv, err := embedded.Start(embedded.Options{Addr: "127.0.0.1:0", Dir: t.TempDir(), Users: users})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Errorf("drain: %v", err)
		}
		srv.Stop()
	})
	if err := errors.Join(l.Write(srv.URL()), s.run()); err != nil {
		t.Fatal(err)
	}
	return s
}
