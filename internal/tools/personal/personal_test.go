package personal

import (
	"os"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestMain(m *testing.M) { os.Exit(tooltest.OnBoth(m)) }

// TestNotFoundBeforeConsent: nobody is asked to approve that something is deleted which does
// not exist.
func TestNotFoundBeforeConsent(t *testing.T) {
	call := tool.Call{Tenant: "default", User: "ann", Store: tooltest.NewStore(t).For("default", "ann"), Clock: tooltest.Clock{}}
	found := 0
	for _, set := range Sets() {
		for _, tl := range set.Tools() {
			if !tl.Destructive {
				continue
			}
			found++
			inv, err := tl.Bind(tl.Example)
			if err != nil {
				t.Fatal(err)
			}
			if inv.Check == nil {
				t.Errorf("%s has no Check", tl.Name)
				continue
			}
			if e := tool.AsError(inv.Check(t.Context(), &call)); e == nil || e.Kind != tool.NotFound {
				t.Errorf("the check of %s(%s) ended with %v, want not_found", tl.Name, tl.Example, e)
			}
		}
	}
	if found < 10 {
		t.Errorf("%d tools that delete, want 10 or more", found)
	}
}
