package catalog

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/protocol"
)

func TestAgents(t *testing.T) {
	var agents Agents
	if got := agents.Rules("t", "a"); got != nil {
		t.Errorf("Rules of an unknown agent = %v, want nil", got)
	}
	given := []string{"x"}
	agents.Put("t", "b", protocol.AgentRules{Tools: given})
	agents.Put("t", "a", protocol.AgentRules{})
	agents.Put("other", "c", protocol.AgentRules{})
	given[0] = "changed"

	none := []string{}
	want := []protocol.Agent{{Name: "a", Tools: none, Groups: none, Deny: none}, {Name: "b", Tools: []string{"x"}, Groups: none, Deny: none}}
	if diff := cmp.Diff(want, agents.List("t")); diff != "" {
		t.Errorf("List(t) (-want +got):\n%s", diff)
	}
	if got := agents.Rules("t", "c"); got != nil {
		t.Errorf("Rules gave another tenant's agent: %v", got)
	}
	agents.Put("t", "b", protocol.AgentRules{Deny: []string{"y"}})
	if got := agents.Rules("t", "b"); got == nil || len(got.Tools) != 0 || len(got.Deny) != 1 {
		t.Errorf("Rules after a second Put = %v, want only the second", got)
	}
	agents.Remove("t", "b")
	agents.Remove("t", "b")
	if got := agents.Rules("t", "b"); got != nil {
		t.Errorf("Rules after Remove = %v, want nil", got)
	}
	if got := agents.List("nobody"); got == nil || len(got) != 0 {
		t.Errorf("List of an unknown tenant = %v, want an empty list", got)
	}
}

func TestAgentsConcurrentUse(t *testing.T) {
	var agents Agents
	var wg sync.WaitGroup
	for _, name := range []string{"a", "b", "c"} {
		wg.Go(func() {
			for range 100 {
				agents.Put("t", name, protocol.AgentRules{Tools: []string{name}})
				if got := agents.Rules("t", name); got == nil || got.Tools[0] != name {
					t.Errorf("Rules(%s) = %v after Put", name, got)
				}
				agents.List("t")
				agents.Remove("t", name)
			}
		})
	}
	wg.Wait()
}
