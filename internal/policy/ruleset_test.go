package policy

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cedar-policy/cedar-go/types"
	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

// manyRules returns n rules as a large installation has them: most are about one
// tool, tenant, user or agent; one in fifty is about everybody.
func manyRules(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `@id("r%d") @reason("Rule %d of many.") `, i, i)
		switch i % 10 {
		case 0:
			fmt.Fprintf(&b, `forbid(principal in Agent::"acme/a%d", action == Action::"execute", resource == Tool::"tool_%d");`, i, i)
		case 1:
			fmt.Fprintf(&b, `forbid(principal in Tenant::"t%d", action == Action::"execute", resource in Group::"g%d") when { context.hour < 7 };`,
				i, i%7)
		case 2:
			fmt.Fprintf(&b, `permit(principal in User::"acme/u%d", action == Action::"auto_approve", resource in Risk::"medium");`, i)
		case 3:
			fmt.Fprintf(&b, `forbid(principal, action == Action::"auto_approve", resource == Tool::"tool_%d") when { context.arguments has path && context.arguments.path like "/etc/*" };`, i)
		case 4:
			fmt.Fprintf(&b, `permit(principal in Agent::"acme/scribe", action == Action::"auto_approve", resource == Tool::"tool_%d");`, i)
		case 5:
			fmt.Fprintf(&b, `forbid(principal in Tenant::"acme", action == Action::"execute", resource in Category::"Category %d");`, i)
		case 6:
			fmt.Fprintf(&b, `forbid(principal, action == Action::"execute", resource in Group::"g%d") when { resource.destructive };`, i)
		case 7:
			fmt.Fprintf(&b, `forbid(principal == Caller::"acme/u%d/scribe", action, resource);`, i)
		case 8:
			fmt.Fprintf(&b,
				`forbid(principal is Caller in User::"t%d/u", action == Action::"execute", resource is Tool) unless { resource.risk == "low" };`, i)
		default:
			if i%50 == 9 {
				fmt.Fprintf(&b, `forbid(principal, action == Action::"execute", resource) when { resource.name == "tool_%d" };`, i)
			} else {
				fmt.Fprintf(&b, `forbid(principal in Agent::"acme/scribe", action == Action::"auto_approve", resource in Group::"g%d") when { context.origin == "javascript" };`, i)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestIndexChangesNothing holds the index to what Cedar says of all rules.
func TestIndexChangesNothing(t *testing.T) {
	t.Parallel()
	indexed := of(t, Options{}, manyRules(400))
	flat := of(t, Options{}, manyRules(400))
	unindexed := newRuleSet(flat.inForce.Load().rules)
	for _, r := range unindexed.rules {
		r.principal, r.resource = executeAction, executeAction // found by no call
	}
	unindexed = newRuleSet(unindexed.rules)
	all := make([]int, len(unindexed.rules))
	for i := range all {
		all[i] = i
	}
	zero := types.EntityUID{}
	unindexed.index[zero] = map[types.EntityUID][]int{zero: all}
	flat.inForce.Store(unindexed)

	rnd := rand.New(rand.NewPCG(1, 2))
	pick := func(format string) string { return fmt.Sprintf(format, rnd.IntN(400)) }
	decided := map[Outcome]int{}
	for range 3000 {
		def := &tool.Definition{
			Name: pick("tool_%d"), Group: pick("g%d"), Category: pick("Category %d"), Destructive: rnd.IntN(2) == 0,
			Risk: []tool.Risk{tool.Low, tool.Medium, tool.High}[rnd.IntN(3)],
		}
		in := call(def, `{"path": "/etc/passwd"}`)
		in.Mutates = true
		in.Tenant = []string{"acme", pick("t%d")}[rnd.IntN(2)]
		in.User = []string{"u", pick("u%d")}[rnd.IntN(2)]
		in.Agent = []string{"scribe", pick("a%d")}[rnd.IntN(2)]
		in.Origin = []Origin{Direct, JavaScript}[rnd.IntN(2)]
		in.Now = in.Now.Add(time.Duration(rnd.IntN(24)) * time.Hour)
		want, got := flat.Explain(in), indexed.Explain(in)
		decided[got.Decision.Outcome]++
		for _, e := range []*Explanation{&want, &got} {
			e.At = ""
			for i := range e.Rules {
				e.Rules[i].At = ""
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s of %s/%s/%s (-all rules +index):\n%s", def.Name, in.Tenant, in.User, in.Agent, diff)
		}
	}
	if decided[Run] == 0 || decided[Ask] == 0 || decided[Refuse] == 0 {
		t.Errorf("decided %v, want every outcome", decided)
	}
}

// TestTenThousandRules: a call meets only the rules that may concern it.
func TestTenThousandRules(t *testing.T) {
	t.Parallel()
	p := of(t, Options{},
		manyRules(10_000)+`@id("last") forbid(principal in Agent::"acme/scribe", action == Action::"execute", resource == Tool::"http_request");`)
	if got := p.Decide(call(httpRequest, `{"path": "x"}`)); got.Rule != "last" {
		t.Errorf("decided by %s, want the last of 10,001 rules", got.Rule)
	}
	if got := len(p.inForce.Load().candidates(newRequest(call(httpRequest, "{}")))); got != 201 {
		t.Errorf("%d rules are evaluated, want the 200 about everybody and the one that fits", got)
	}
}

// TestDecideWhileReloading is for the race detector: decisions are made by the
// old rules or the new, never by a mixture.
func TestDecideWhileReloading(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := of(t, Options{}, `@id("a") forbid(principal, action, resource) when { context.arguments has x };`)
		next := of(t, Options{}, `@id("b") forbid(principal, action, resource);`)
		for range 4 {
			go func() {
				for range 200 {
					if got := p.Decide(call(writeFile, `{"x": 1}`)); got.Rule != "a" && got.Rule != "b" {
						t.Errorf("decided by %s, want a rule", got.Rule)
					}
				}
			}()
		}
		p.inForce.Store(next.inForce.Load())
		synctest.Wait()
	})
}

// everybody returns n rules that the index cannot exclude for the call.
func everybody(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "forbid(principal, action == Action::\"execute\", resource) when { resource.name == \"tool_%d\" && context.hour > 6 };\n",
			i)
	}
	return b.String()
}
