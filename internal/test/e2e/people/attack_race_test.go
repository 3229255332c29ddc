package people

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestTokenRaces shows single-use tokens to two workers concurrently, through two
// dispatchers: 1,000 calls with 50 tokens, of which each lets one run.
func TestTokenRaces(t *testing.T) {
	t.Parallel()
	const tokens, uses = 25, 20
	tenant, trace := system.NewTenant(), system.NewTrace()
	var all sync.WaitGroup
	won := make([]int, tokens)
	workers := make([]map[string]bool, tokens)
	for i := range tokens {
		tok := system.MintToken(t, shared.HTTP(i%2), tenant, trace, `"tools": ["debug.guarded"]`)
		results := make([]system.Answer, 2)
		var both sync.WaitGroup
		for half := range 2 {
			calls := make([]string, uses/2)
			for j := range calls {
				calls[j] = fmt.Sprintf(`{"tool": "debug.guarded", "confirm_token": %q, "arguments": {"key": "t%d"}}`, tok, i)
			}
			body := fmt.Sprintf(`{"context": {"user": "u1"}, "trace_id": %q, "calls": [%s]}`, trace, strings.Join(calls, ","))
			both.Go(func() { results[half] = system.Execute(t, shared.HTTP(half), tenant, body) })
		}
		all.Go(func() {
			system.Await(t, "both halves of the calls are answered", both.Wait)
			workers[i] = map[string]bool{}
			for _, e := range append(results[0].Results, results[1].Results...) {
				workers[i][e.Worker] = true
				if e.Status == "success" {
					won[i]++
				} else if e.ErrorType != "permission_denied" || !strings.Contains(e.Message, "used before") {
					t.Errorf("token %d: a loser ended as %v, want permission_denied because the token was used", i, e)
				}
			}
		})
	}
	system.Await(t, "the calls with every token are answered", all.Wait)
	raced := 0
	for i := range tokens {
		if won[i] != 1 {
			t.Errorf("token %d let %d calls run, want 1", i, won[i])
		}
		if len(workers[i]) > 1 {
			raced++
		}
	}
	if raced == 0 {
		t.Error("no token came to two workers: nothing was raced")
	}
	if lines := system.UserLedger(t, shared, tenant, "u1"); len(lines) != tokens {
		t.Errorf("the ledger has %d lines, want %d", len(lines), tokens)
	}
}

// TestReusableToken: a reusable token lets many calls of a plan run, and none of another
// trace.
func TestReusableToken(t *testing.T) {
	t.Parallel()
	tenant, trace, d := system.NewTenant(), system.NewTrace(), shared.HTTP(0)
	tok := system.MintToken(t, d, tenant, trace, `"tools": ["debug.guarded"], "reusable": true`)
	for range 5 {
		system.WantResult(t, system.ExecuteWithToken(t, d, tenant, "u1", trace, tok, `{"tool": "debug.guarded", "arguments": {"key": "k"}}`),
			`{"written":true}`)
	}
	if minted, _ := system.QueryRecords(t, d, tenant, map[string]string{"trace_id": trace, "phase": "token_minted"}); len(minted) != 1 ||
		minted[0].By != "u1" {
		t.Errorf("on record of the token: %+v, want who minted it", minted)
	}
	system.WantError(t,
		system.ExecuteWithToken(t, d, tenant, "u1", system.NewTrace(), tok, `{"tool": "debug.guarded", "arguments": {"key": "k"}}`),
		"permission_denied", "trace")
}
