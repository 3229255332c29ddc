package bus

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

func TestSubjectsAreThoseOfTheProtocol(t *testing.T) {
	s := NewSubjects("helve.v1")
	for _, tt := range []struct{ got, want string }{
		{s.API("acme", "tools.list"), "helve.v1.acme.api.tools.list"},
		{s.Call("acme", "default", "files.read"), "helve.v1.acme.call.default.files.read"},
		{s.Result("acme", "d-1", "c1"), "helve.v1.acme.result.d-1.c1"},
		{s.Event("acme", "t1", "c1"), "helve.v1.acme.event.t1.c1"},
		{s.Cancel("acme", "c1"), "helve.v1.acme.cancel.c1"},
		{s.Probe("acme", "c1"), "helve.v1.acme.probe.c1"},
		{s.Replay("acme", "t1"), "helve.v1.acme.replay.t1"},
		{s.Once("acme", "c1", "fence"), "helve.v1.acme.once.c1.fence"},
		{s.Dead("acme", "default"), "helve.v1.acme.dead.default"},
		{NewSubjects("a").Cancel("t", "c"), "a.t.cancel.c"},
		{NewSubjects("a.b.c").Cancel("t", "c"), "a.b.c.t.cancel.c"},
	} {
		if tt.got != tt.want {
			t.Errorf("subject = %q, want %q", tt.got, tt.want)
		}
	}
}

func TestSplit(t *testing.T) {
	for _, tt := range []struct {
		prefix, subject string
		n               int
		tenant          string
		tokens          []string
		ok              bool
	}{
		{"helve.v1", "helve.v1.acme.call.p.echo", 3, "acme", []string{"call", "p", "echo"}, true},
		{"helve.v1", "helve.v1.acme.call.p.files.read.all", 3, "acme", []string{"call", "p", "files.read.all"}, true},
		{"helve.v1", "helve.v1.acme.call.p", 3, "acme", []string{"call", "p"}, true},
		{"a", "a.t.x", 3, "t", []string{"x"}, true},
		{"a.b.c", "a.b.c.t.result.o.c", 3, "t", []string{"result", "o", "c"}, true},
		{"helve.v1", "helve.v1.acme", 3, "", nil, false},
		{"helve.v1", "helve.v1", 3, "", nil, false},
		{"helve.v1", "helve.v10.acme.call.p.echo", 3, "", nil, false},
		{"helve.v1", "other.acme.call.p.echo", 3, "", nil, false},
		{"helve.v1", "", 3, "", nil, false},
	} {
		tenant, tokens, ok := NewSubjects(tt.prefix).split(tt.subject, tt.n)
		if ok != tt.ok {
			t.Errorf("split(%q) ok = %v, want %v", tt.subject, ok, tt.ok)
			continue
		}
		if ok && (tenant != tt.tenant || !cmp.Equal(tokens, tt.tokens)) {
			t.Errorf("split(%q) = %q %q, want %q %q", tt.subject, tenant, tokens, tt.tenant, tt.tokens)
		}
	}
}

func TestTenantAndLast(t *testing.T) {
	s := NewSubjects("helve.v1")
	for _, tt := range []struct{ subject, tenant, last string }{
		{"helve.v1.acme.probe.c1", "acme", "c1"},
		{"helve.v1.acme.result.d-1.c1", "acme", "c1"},
		{"elsewhere.acme.probe.c1", "", ""},
	} {
		tenant, last := s.tenantAndLast(tt.subject)
		if tenant != tt.tenant || last != tt.last {
			t.Errorf("tenantAndLast(%q) = %q, %q, want %q, %q", tt.subject, tenant, last, tt.tenant, tt.last)
		}
	}
}

// FuzzSubjects reads what it built, whatever the prefix and the tool's name,
// and reads anything at all without a panic.
func FuzzSubjects(f *testing.F) {
	f.Add("helve.v1", "acme", "default", "files.read")
	f.Add("a", "t", "p", "x")
	f.Add("helve.v1", "", "..", "*")
	f.Add("", "helve.v1.", ">", "a.b.c.d")
	f.Fuzz(func(t *testing.T, prefix, tenant, pool, name string) {
		s := NewSubjects(prefix)
		subject := s.Call(tenant, pool, name)
		gotTenant, tokens, ok := s.split(subject, 3)
		s.tenantAndLast(name)
		s.split(name, 3)
		if tenant == "" || pool == "" || strings.ContainsRune(tenant+pool, '.') || !tool.ValidName(name) {
			return
		}
		want := []string{"call", pool, name}
		if !ok || gotTenant != tenant || !cmp.Equal(tokens, want) {
			t.Errorf("split(%q) = %q %q %v, want %q %q", subject, gotTenant, tokens, ok, tenant, want)
		}
	})
}
