package subject

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

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
		tenant, tokens, ok := New(tt.prefix).Split(tt.subject, tt.n)
		if ok != tt.ok {
			t.Errorf("Split(%q) ok = %v, want %v", tt.subject, ok, tt.ok)
			continue
		}
		if ok && (tenant != tt.tenant || !cmp.Equal(tokens, tt.tokens)) {
			t.Errorf("Split(%q) = %q %q, want %q %q", tt.subject, tenant, tokens, tt.tenant, tt.tokens)
		}
	}
}

func TestTenantAndLast(t *testing.T) {
	s := New("helve.v1")
	for _, tt := range []struct{ subject, tenant, last string }{
		{"helve.v1.acme.probe.c1", "acme", "c1"},
		{"helve.v1.acme.result.d-1.c1", "acme", "c1"},
		{"elsewhere.acme.probe.c1", "", ""},
	} {
		tenant, last := s.TenantAndLast(tt.subject)
		if tenant != tt.tenant || last != tt.last {
			t.Errorf("TenantAndLast(%q) = %q, %q, want %q, %q", tt.subject, tenant, last, tt.tenant, tt.last)
		}
	}
}

// FuzzTree reads what it built, whatever the prefix and the tool's name,
// and reads anything at all without a panic.
func FuzzTree(f *testing.F) {
	f.Add("helve.v1", "acme", "default", "files.read")
	f.Add("a", "t", "p", "x")
	f.Add("helve.v1", "", "..", "*")
	f.Add("", "helve.v1.", ">", "a.b.c.d")
	f.Fuzz(func(t *testing.T, prefix, tenant, pool, name string) {
		s := New(prefix)
		subject := s.Of(tenant, "call", pool, name)
		gotTenant, tokens, ok := s.Split(subject, 3)
		s.TenantAndLast(name)
		s.Split(name, 3)
		if tenant == "" || pool == "" || strings.ContainsRune(tenant+pool, '.') || !tool.ValidName(name) {
			return
		}
		want := []string{"call", pool, name}
		if !ok || gotTenant != tenant || !cmp.Equal(tokens, want) {
			t.Errorf("Split(%q) = %q %q %v, want %q %q", subject, gotTenant, tokens, ok, tenant, want)
		}
	})
}
