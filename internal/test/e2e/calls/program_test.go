package calls

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/worker"
)

// says makes a tool that answers with a word.
func says(t testing.TB, name, word string) *tool.Tool {
	t.Helper()
	tl, err := tool.New(tool.Definition{
		Name: name, Description: "Say a word.", Category: "Words", Group: "words", Version: "1", Parameters: json.RawMessage(`{"type":"object"}`),
		Risk: tool.Low, Confirmation: tool.ConfirmNever, TimeoutSeconds: 5, Pool: "default", Kind: tool.KindBuiltin, Enabled: true,
	}, 0, func(context.Context, *tool.Call, json.RawMessage) (tool.Result, error) {
		return tool.Result{Value: json.RawMessage(fmt.Sprintf("%q", word))}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tl
}

// TestProviders: the tools of a provider are added together, visible to the callers they
// are bound to, and removed together, while the worker runs.
func TestProviders(t *testing.T) {
	t.Parallel()
	started := make(chan *worker.Providers, 1)
	s := system.Launch(t, system.Plan{
		Program: worker.Program{Started: func(_ context.Context, p *worker.Providers) error { started <- p; return nil }},
	})
	providers, ctx, d := system.Receive(t, "the worker has started", started), system.Context(t), s.HTTP(0)
	if err := providers.Add(ctx, worker.Provider{
		Name: "greetings", Tools: []*tool.Tool{says(t, "hello", "hi"), says(t, "goodbye", "bye")},
	}); err != nil {
		t.Fatal(err)
	}
	if err := providers.Add(ctx, worker.Provider{
		Name: "secrets", Tools: []*tool.Tool{says(t, "murmur", "psst")},
		For: &tool.Contexts{Tenants: []string{"acme"}, Conversations: []string{"c1"}},
	}); err != nil {
		t.Fatal(err)
	}
	for _, p := range []worker.Provider{
		{Name: "greetings", Tools: []*tool.Tool{says(t, "other", "x")}},
		{Name: "", Tools: []*tool.Tool{says(t, "other", "x")}},
		{Name: "thief", Tools: []*tool.Tool{says(t, "other", "x"), says(t, "read_file", "x")}},
		{Name: "twin", Tools: []*tool.Tool{says(t, "other", "x"), says(t, "hello", "x")}},
	} {
		if err := providers.Add(ctx, p); err == nil {
			t.Errorf("provider %q was added", p.Name)
		}
	}
	call := func(tenant, context, name string) string {
		e := system.Execute(t, d, tenant, `{`+context+`"calls": [{"tool": "`+name+`"}]}`).Results[0]
		return string(e.Result) + e.ErrorType
	}
	system.Eventually(t, "the tools are known", func() bool {
		return call("default", "", "goodbye") == `"bye"` && call("default", "", "hello") == `"hi"`
	})
	const c1, c2 = `"context": {"conversation": "c1"}, `, `"context": {"conversation": "c2"}, `
	system.Eventually(t, "the bound tool is known", func() bool { return call("acme", c1, "murmur") == `"psst"` })
	for _, tt := range []struct{ tenant, context string }{{"acme", c2}, {"acme", ""}, {"other", c1}} {
		if got := call(tt.tenant, tt.context, "murmur"); got != "tool_not_available" {
			t.Errorf("murmur for %s %s = %s", tt.tenant, tt.context, got)
		}
		if got := call(tt.tenant, tt.context,
			`use_tool", "arguments": {"tool_name": "murmur", "arguments": {}}, "call_id": "`+system.NewTenant()); got != "tool_not_available" {
			t.Errorf("murmur by use_tool for %s %s = %s", tt.tenant, tt.context, got)
		}
	}
	for tenant, want := range map[string]bool{"acme": true, "other": false} {
		if r := d.Ask(t, tenant, "tools.list", map[string]string{"q": "murmur"}, ""); strings.Contains(string(r.Body), `"murmur"`) != want {
			t.Errorf("%s is shown %s", tenant, r.Body)
		}
	}
	if got := call("default", "", "other"); got != "tool_not_found" {
		t.Errorf("a tool of a provider that was refused: %s", got)
	}
	if n, err := providers.Remove(ctx, "greetings"); n != 2 || err != nil {
		t.Errorf("Remove = %d, %v, want 2 tools gone", n, err)
	}
	if n, err := providers.Remove(ctx, "greetings"); n != 0 || err != nil {
		t.Errorf("Remove again = %d, %v, want none", n, err)
	}
	system.Eventually(t, "they are gone", func() bool {
		return call("default", "", "goodbye") == "tool_not_found" && call("default", "", "hello") == "tool_not_found"
	})
	if got := call("acme", c1, "murmur"); got != `"psst"` {
		t.Errorf("the other provider's tool = %s", got)
	}
}

// TestMiddleware: middleware sees calls through every door.
func TestMiddleware(t *testing.T) {
	t.Parallel()
	var before, after atomic.Int64
	s := system.Launch(t, system.Plan{Program: worker.Program{Middleware: []tool.Middleware{
		{
			Name: "events",
			Before: func(_ context.Context, call *tool.Call, args json.RawMessage) (json.RawMessage, error) {
				before.Add(1)
				if call.Tool == "debug.sleep" {
					return nil, tool.Fail(tool.PolicyDenied, "nobody sleeps here")
				}
				return args, nil
			},
			After: func(_ context.Context, _ *tool.Call, res tool.Result, err error) (tool.Result, error) {
				after.Add(1)
				return res, err
			},
		},
		{Name: "rewrites", Before: func(_ context.Context, call *tool.Call, args json.RawMessage) (json.RawMessage, error) {
			if call.Tool == "debug.echo" {
				return json.RawMessage(`{"value":"changed"}`), nil
			}
			return args, nil
		}},
	}}})
	d, tenant := s.HTTP(0), system.NewTenant()
	system.WantResult(t, system.Execute(t, d, tenant, `{"calls": [{"tool": "debug.echo", "arguments": {"value": 1}}]}`).Results[0],
		`"changed"`)
	system.WantError(t, system.Execute(t, d, tenant, `{"calls": [{"tool": "debug.sleep", "arguments": {"ms": 1}}]}`).Results[0],
		"policy_denied", "nobody sleeps here")
	b := system.ExecuteBatch(t, d, tenant, "",
		`{"tool_name": "debug.echo", "arguments": {"value": 1}}, {"tool_name": "use_tool", "arguments": {"tool_name": "debug.sleep", "arguments": {"ms": 1}}}`)
	if string(b.Results[0].Result) != `"changed"` || b.Results[1].Error != "policy_denied" {
		t.Errorf("in a batch: %+v", b)
	}
	// Two calls, then a batch of two; After runs for calls whose Before accepted them.
	if before.Load() != 5 || after.Load() != 3 {
		t.Errorf("before was called %d times and after %d times, want 5 and 3", before.Load(), after.Load())
	}
}

// TestRateLimits: a limit holds over all workers, for each tenant and each user, through
// every door.
func TestRateLimits(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Workers: 2, Config: func(c *config.Config) {
		c.RateLimits = []string{"debug.echo=6/1h", "debug.e*=4/1h by user"}
	}})
	d, tenant := s.HTTP(0), system.NewTenant()
	refused := func(user, calls string) (n int) {
		t.Helper()
		for _, e := range system.Execute(t, d, tenant, `{"context": {"user": "`+user+`"}, "calls": [`+calls+`]}`).Results {
			if e.ErrorType == "rate_limited" {
				n++
				if wait, _ := e.Metadata["retry_after_ms"].(float64); wait < float64(time.Minute.Milliseconds()) ||
					!strings.Contains(e.Message, "seconds and try again") {
					t.Errorf("refused with %q, %v: no time to wait", e.Message, e.Metadata)
				}
			}
		}
		return n
	}
	const echo = `{"tool": "debug.echo", "arguments": {"value": 1}}`
	if n := refused("u1", strings.Repeat(echo+",", 5)+echo); n != 2 {
		t.Errorf("%d of 6 calls of one user were refused, want 2", n)
	}
	b := system.ExecuteBatch(t, d, tenant, `"context": {"user": "u2"}, `,
		strings.ReplaceAll(strings.Repeat(echo+",", 2)+echo, `"tool"`, `"tool_name"`))
	if b.Failed != 3 { // the tool's own limit has counted all six
		t.Errorf("a batch of another user: %+v, want every item refused", b)
	}
	if n := refused("u2", `{"tool": "debug.sleep", "arguments": {"ms": 1}}`); n != 0 {
		t.Error("a tool that no rule is about was refused")
	}
	if e := system.Execute(t, d, system.NewTenant(), `{"calls": [`+echo+`]}`).Results[0]; e.Status != "success" {
		t.Errorf("another tenant: %+v", e)
	}
	// An id in the form of a dispatcher's has no effect.
	id := uuid.Must(uuid.NewV7())
	binary.BigEndian.PutUint16(id[14:], uint16(crc32.ChecksumIEEE(id[:14])))
	if n := refused("u1", `{"call_id": "`+id.String()+`", "tool": "debug.echo", "arguments": {"value": 1}}`); n != 1 {
		t.Error("a call_id that looks made went past the bound")
	}
}

// TestRateLimitUnderLoad: a limit that is not reached refuses no call, however many are
// concurrent.
func TestRateLimitUnderLoad(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Workers: 2, Config: func(c *config.Config) { c.RateLimits = []string{"*=100000/1h"} }})
	d, tenant := s.HTTP(0), system.NewTenant()
	calls := strings.TrimSuffix(strings.Repeat(`{"tool": "debug.echo", "arguments": {"value": 1}},`, 200), ",")
	start, refused := time.Now(), map[string]int{}
	for _, e := range system.Execute(t, d, tenant, `{"calls": [`+calls+`]}`).Results {
		if e.Status != "success" {
			refused[e.ErrorType+e.Message+e.State]++
		}
	}
	if len(refused) > 0 {
		t.Errorf("of 200 calls, in %s: %v", time.Since(start), refused)
	}
}

// TestMiddlewareAndConsent: consent covers the arguments after middleware changed them, as
// they were shown, and no later change.
func TestMiddlewareAndConsent(t *testing.T) {
	t.Parallel()
	var suffix atomic.Value
	suffix.Store("a")
	s := system.Launch(t, system.Plan{Program: worker.Program{Middleware: []tool.Middleware{{
		Name: "signs",
		Before: func(_ context.Context, call *tool.Call, args json.RawMessage) (json.RawMessage, error) {
			if call.Tool != "contract_long" {
				return nil, nil
			}
			return json.RawMessage(`{"text":"signed ` + suffix.Load().(string) + `"}`), nil
		},
	}}}})
	tenant, d := system.NewTenant(), s.HTTP(0)
	for _, tt := range []struct{ id, later, kind string }{{"same", "a", ""}, {"other", "bb", "permission_denied"}} {
		suffix.Store("a")
		e := system.Park(t, d, tenant, `{"call_id": "`+tt.id+`", "tool": "contract_long", "arguments": {"text": "x"}}`)
		if waiting := system.Consents(t, d, tenant, "pending"); len(waiting) != 1 || !strings.Contains(waiting[0].Preview, "signed a") {
			t.Errorf("the person is shown %+v", waiting)
		}
		suffix.Store(tt.later)
		system.Grant(t, d, tenant, e.ConsentID)
		if got := system.Settled(t, d, tenant, tt.id); got.ErrorType != tt.kind || tt.kind == "" && string(got.Result) != "8" {
			t.Errorf("%s: %v %s, want %q", tt.id, got, got.Result, tt.kind)
		}
	}
}
