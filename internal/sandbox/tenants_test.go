package sandbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/helve-dev/helve/internal/js"
	"github.com/helve-dev/helve/internal/sandbox"
)

// ready is a host that says when it is asked.
type ready chan struct{}

func (r ready) Do(context.Context, js.Op, json.RawMessage) (json.RawMessage, error) {
	r <- struct{}{}
	return json.RawMessage("null"), nil
}

// The child of these tests answers with all users it has ever served.
func serves(t *testing.T, p *sandbox.Pool, tenant string) []string {
	t.Helper()
	v, err := p.Run(t.Context(), sandbox.Job{Tenant: tenant, Context: js.Context{UserID: tenant}})
	if err != nil {
		t.Error(err)
	}
	return strings.Fields(strings.Trim(string(v), `"`))
}

func TestNoChildServesTwoTenants(t *testing.T) {
	t.Parallel()
	p := liars(t, "remembers", sandbox.Options{Slots: 3})
	var work sync.WaitGroup
	for i := range 6 {
		work.Go(func() {
			for j := range 30 {
				tenant := fmt.Sprint((i + j) % 5)
				for _, user := range serves(t, p, tenant) {
					if user != tenant {
						t.Errorf("a child served %s and then %s", user, tenant)
					}
				}
			}
		})
	}
	work.Wait()
	if n := len(p.Pids()); n > 3+4+3 {
		t.Errorf("%d children are left, want those that are idle, and a few in reserve", n)
	}
}

func TestATenantKeepsItsChild(t *testing.T) {
	t.Parallel()
	p := liars(t, "remembers", sandbox.Options{Slots: 2})
	for n := 1; n <= 3; n++ {
		for _, tenant := range []string{"a", "b"} {
			if got := serves(t, p, tenant); len(got) != n {
				t.Errorf("in round %d the child of %s has served %v", n, tenant, got)
			}
		}
	}
}

func TestAChildServesOnlySoMany(t *testing.T) {
	t.Parallel()
	p := liars(t, "remembers", sandbox.Options{Slots: 1})
	most := 0
	for range 5100 {
		most = max(most, len(serves(t, p, "t")))
	}
	if most != 5000 {
		t.Errorf("a child served %d runs, want 5000", most)
	}
}

func TestALargeChildIsRecycled(t *testing.T) {
	t.Parallel()
	p := liars(t, "grows", sandbox.Options{Slots: 1})
	for range 3 {
		if v, err := p.Run(t.Context(), sandbox.Job{}); err != nil || string(v) != "1" {
			t.Errorf("Run = %s, %v, want a child's first", v, err)
		}
	}
}

// Scripts that call scripts, on one slot, as deep as they may.
func TestScriptsThatCallScripts(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Options{Slots: 1})
	var run func(ctx context.Context, depth int) (json.RawMessage, error)
	run = func(ctx context.Context, depth int) (json.RawMessage, error) {
		host := hostFunc(func(ctx context.Context, _ js.Op, _ json.RawMessage) (json.RawMessage, error) {
			return run(ctx, depth+1)
		})
		code := "const deeper = await Promise.all([1, 2].map(() => utils.callTool('self', {}).catch(e => e.message))); return deeper[0] + '.' + deeper[1].length"
		return p.Run(ctx, sandbox.Job{Tenant: "t", Depth: depth, Code: code, Host: host})
	}
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() {
			v, err := run(t.Context(), 0)
			if err != nil || !strings.Contains(string(v), "at most 3 deep") {
				t.Errorf("Run = %s, %v", v, err)
			}
		})
	}
	work.Wait()
}
