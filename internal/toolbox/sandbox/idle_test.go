package sandbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/sandbox"
	"github.com/helve-dev/helve/tool"
)

// ready is a host that signals when it gets a request.
type ready chan struct{}

func (r ready) Do(context.Context, js.Op, json.RawMessage) (json.RawMessage, error) {
	r <- struct{}{}
	return json.RawMessage("null"), nil
}

// serves returns all users that a child of the tenant has served. The child of these tests
// answers with them.
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

// TestAGreedyUser: a user whose scripts wait for something slow does not block the others
// of the tenant, and the error of a run without a slot states that it was not started.
func TestAGreedyUser(t *testing.T) {
	t.Parallel()
	const started = 5 // the share of one user of 8 slots
	p := newPool(t, sandbox.Options{Slots: 8})
	slow, began := make(chan struct{}), make(ready, 24)
	host := hostFunc(func(ctx context.Context, op js.Op, args json.RawMessage) (json.RawMessage, error) {
		_, _ = began.Do(ctx, op, args)
		<-slow
		return json.RawMessage("1"), nil
	})
	var work sync.WaitGroup
	for range 24 {
		work.Go(func() {
			v, err := p.Run(t.Context(), sandbox.Job{Tenant: "t", User: "greedy", Code: "return await utils.callTool('x', {})", Host: host})
			if err != nil || string(v) != "1" {
				t.Errorf("Run = %s, %v, want 1", v, err)
			}
		})
	}
	for range started {
		<-began
	}
	for _, who := range []string{"modest", "other"} {
		if v, err := p.Run(t.Context(), sandbox.Job{Tenant: "t", User: who, Code: "return 2"}); err != nil || string(v) != "2" {
			t.Errorf("Run of %s = %s, %v, want 2", who, v, err)
		}
	}
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := p.Run(short, sandbox.Job{Tenant: "t", User: "greedy", Code: "return 3"})
	wants(t, err, tool.Overloaded, "was not started")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	_, err = p.Run(stopped, sandbox.Job{Tenant: "t", User: "greedy", Code: "return 3"})
	wants(t, err, tool.Cancelled, "")
	if n := len(began); n != 0 {
		t.Errorf("%d more scripts of the user began, want none", n)
	}
	close(slow)
	work.Wait()
}

// TestTheWallBeginsWithTheSlot: a run that waited for a slot for longer than its wall limit
// still has its full limit.
func TestTheWallBeginsWithTheSlot(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Options{Slots: 1, Limits: sandbox.Limits{Wall: 3 * time.Second}})
	held := make(chan struct{})
	stalls := hostFunc(func(ctx context.Context, _ js.Op, _ json.RawMessage) (json.RawMessage, error) {
		close(held)
		<-ctx.Done()
		return nil, ctx.Err()
	})
	first := make(chan error)
	go func() {
		_, err := p.Run(t.Context(), sandbox.Job{Code: "await utils.callTool('x', {})", Host: stalls})
		first <- err
	}()
	<-held
	second := make(chan error)
	go func() {
		_, err := p.Run(t.Context(), sandbox.Job{Code: "return 1", Limits: sandbox.Limits{Wall: 2 * time.Second}})
		second <- err
	}()
	wants(t, <-first, tool.Timeout, "within 3s")
	if err := <-second; err != nil {
		t.Errorf("the second Run = %v, want it to have its own time", err)
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

// Scripts that call scripts, on one slot, to the greatest depth.
func TestScriptsThatCallScripts(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Options{Slots: 1})
	var run func(ctx context.Context, depth int) (json.RawMessage, error)
	run = func(ctx context.Context, depth int) (json.RawMessage, error) {
		host := hostFunc(func(ctx context.Context, _ js.Op, _ json.RawMessage) (json.RawMessage, error) {
			return run(ctx, depth+1)
		})
		code := "const deeper = await Promise.all([1, 2].map(() => utils.callTool('self', {}).catch(e => e.message))); " +
			"return deeper[0] + '.' + deeper[1].length"
		return p.Run(ctx, sandbox.Job{Tenant: "t", Depth: depth, Code: code, Host: host})
	}
	var work sync.WaitGroup
	for range 3 {
		work.Go(func() {
			v, err := run(t.Context(), 0)
			if err != nil || !strings.Contains(string(v), "at most 3 deep") {
				t.Errorf("Run = %s, %v", v, err)
			}
		})
	}
	work.Wait()
}
