package calls

import (
	"bytes"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/cli/top"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/protocol"
)

// TestListCalls: calls in every state are listed, filtered and paged, only those of the
// tenant, without arguments or results; the commands print the same.
func TestListCalls(t *testing.T) {
	t.Parallel()
	s, tenant := system.Launch(t, system.Plan{}), system.NewTenant()
	web, bus := operator(t, s, s.URLs[0], client.WithTenant(tenant)), operator(t, s, s.Config.NATS.URL, client.WithTenant(tenant))
	const done = 12
	for i := range done {
		e := system.One(t, s.HTTP(0), tenant, fmt.Sprintf(`{"call_id": "d%d", "tool": "debug.echo", "arguments": {"value": "s3cret"}}`, i))
		system.WantResult(t, e, `"s3cret"`)
		nextMillisecond()
	}
	system.WantError(t, system.One(t, s.HTTP(0), tenant, `{"call_id": "bad", "tool": "debug.fail", "arguments": {"how": "error"}}`),
		"execution_error", "")
	system.Enqueue(t, s.HTTP(0), tenant, `{"call_id": "runs", "tool": "debug.sleep", "arguments": {"ms": 600000}}`)
	system.Eventually(t, "the call runs", func() bool {
		list, err := web.Calls(system.Context(t), client.CallFilter{State: "running"})
		return err == nil && len(list.Calls) == 1
	})
	system.Execute(t, s.HTTP(0), tenant,
		`{"context": {"user": "ann"}, "wait_ms": 5000, "calls": [{"call_id": "asks", "tool": "debug.guarded", "arguments": {"key": "k"}}]}`)

	ids := func(c *client.Client, f client.CallFilter) string {
		t.Helper()
		list, err := c.Calls(system.Context(t), f)
		if err != nil {
			t.Fatalf("calls %+v: %v", f, err)
		}
		var all []string
		for _, c := range list.Calls {
			all = append(all, c.CallID)
			if text, _ := json.Marshal(c); bytes.Contains(text, []byte("s3cret")) {
				t.Errorf("a listed call holds arguments or results: %s", text)
			}
		}
		return strings.Join(all, " ")
	}
	for _, c := range []*client.Client{web, bus} {
		for want, f := range map[string]client.CallFilter{
			"runs":              {State: "running", Tool: "debug.sleep", Pool: "default"},
			"asks":              {State: "awaiting_consent", User: "ann"},
			"bad":               {Status: "error", ErrorType: "execution_error", Version: "1"},
			"d7":                {Text: "D7"},
			"":                  {User: "bob"},
			"asks runs":         {Status: "pending"},
			"asks runs bad d11": {Limit: 4},
		} {
			if got := ids(c, f); got != want {
				t.Errorf("calls %+v are %q, want %q", f, got, want)
			}
		}
	}
	// Page by page each call comes once, whatever its state, the newest first.
	var paged []string
	for f := (client.CallFilter{Limit: 5}); ; {
		list, err := web.Calls(system.Context(t), f)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list.Calls {
			paged = append(paged, c.CallID)
		}
		if list.Next != "" && len(list.Calls) != f.Limit {
			t.Errorf("a page has %d calls and another one follows", len(list.Calls))
		}
		if f.Cursor = list.Next; f.Cursor == "" {
			break
		}
	}
	want := "asks runs bad"
	for i := range done {
		want += fmt.Sprint(" d", done-1-i)
	}
	if got := strings.Join(paged, " "); got != want {
		t.Errorf("page by page: %s\nwant %s", got, want)
	}
	for _, f := range []client.CallFilter{{State: "lost"}, {ErrorType: "lost"}, {Status: "lost"}, {Cursor: "x"}, {User: "a b"}, {Limit: 1001}} {
		if _, err := web.Calls(system.Context(t), f); !isType(err, client.BadRequest) {
			t.Errorf("calls %+v: %v", f, err)
		}
	}

	var out, errs bytes.Buffer
	if code := cli.Run(system.Context(t), []string{"calls", "--server", s.URLs[0], "--tenant", tenant, "--status", "error"},
		strings.NewReader(""), &out, &errs); code != 0 ||
		!strings.Contains(out.String(), "execution_error") || !strings.Contains(out.String(), "bad") {
		t.Errorf("helve calls = %d\n%s%s", code, out.String(), errs.String())
	}
	out.Reset()
	if code := cli.Run(system.Context(t), []string{"top", "--once", "--json", "--server", s.URLs[0], "--tenant", tenant},
		strings.NewReader(""), &out, &errs); code != 0 {
		t.Fatalf("helve top --once --json = %d %s", code, errs.String())
	}
	var snapshot top.Snapshot
	if err := json.Unmarshal(out.Bytes(), &snapshot); err != nil || len(snapshot.Workers) == 0 || len(snapshot.Calls) != 1 ||
		len(snapshot.Consents) != 1 || snapshot.Consents[0].State != protocol.StateAwaitingConsent || len(snapshot.Tools) != 2 {
		t.Errorf("helve top --once --json = %s, %v", out.String(), err)
	}
	system.ByID(t, s.HTTP(0), "calls.cancel", tenant, "runs")
}

// nextMillisecond returns in a later millisecond than it is called in: the order of calls that are
// accepted in one is that of their ids.
func nextMillisecond() {
	for now := time.Now().UnixMilli(); time.Now().UnixMilli() == now; {
		runtime.Gosched()
	}
}
