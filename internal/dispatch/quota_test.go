package dispatch

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func TestQuotas(t *testing.T) {
	t.Parallel()
	s := newShares(16, 64, Quota{User: 2, Tenant: 3, Tenants: map[string]int{"big": 10, "tiny": 1}})
	ann, bob := person{"acme", "ann"}, person{"acme", "bob"}
	wants := func(who person, whose string) {
		t.Helper()
		_, err := s.take("gpu", who, "", true)
		if err == nil || err.Kind != tool.RateLimited || !strings.Contains(err.Msg, whose) {
			t.Errorf("a call of %v = %v, want rate_limited for %s", who, err, whose)
		}
	}
	first := counted(t, s, "default", ann, "")
	counted(t, s, "gpu", ann, "")
	wants(ann, "2 calls of this user")
	counted(t, s, "default", bob, "")
	wants(bob, "3 calls of this tenant")
	first.end()
	counted(t, s, "default", bob, "")
	wants(ann, "3 calls of this tenant")

	counted(t, s, "default", person{"tiny", "u"}, "")
	wants(person{"tiny", "v"}, "1 calls of this tenant")
	for _, user := range []string{"a", "b", "c", "d"} {
		counted(t, s, "default", person{"big", user}, "")
	}
	// What is joined is counted, whatever the quota.
	if _, err := s.take("default", ann, "", false); err != nil {
		t.Errorf("a call that no quota binds = %v", err)
	}
}
