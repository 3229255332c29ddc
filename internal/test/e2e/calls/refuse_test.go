package calls

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestRefused: a callback that is not possible refuses the whole request, so that nothing
// runs, and the message shows nothing secret.
func TestRefused(t *testing.T) {
	t.Parallel()
	s, r := launchReceiver(t, system.Plan{}, func(c *config.Config) {
		c.Callbacks.AllowedHosts = append(c.Callbacks.AllowedHosts, "hooks.example", "[::1]:9", "hooks.example:8443")
	})
	to := func(url string) string { return fmt.Sprintf(`{"url": %q}`, url) }
	with := func(headers string) string { return fmt.Sprintf(`{"url": %q, "headers": %s}`, r.URL, headers) }
	many := make([]string, 21)
	for i := range many {
		many[i] = fmt.Sprintf(`"X-%d": "v"`, i)
	}
	for name, tt := range map[string]struct{ callback, want string }{
		"another host":           {to("http://other.example/x"), `"other.example" is not among callbacks.allowed_hosts`},
		"the port left out":      {to("http://127.0.0.1/x"), `"127.0.0.1" is not among`},
		"the port written out":   {to("https://hooks.example:443/x"), `"hooks.example:443" is not among`},
		"another port":           {to("http://127.0.0.1:1/x"), `"127.0.0.1:1" is not among`},
		"another spelling":       {to("http://127.1" + r.host()[strings.Index(r.host(), ":"):]), "is not among"},
		"a name of it":           {to("http://localhost" + r.host()[strings.Index(r.host(), ":"):]), "is not among"},
		"a longer name":          {to("http://hooks.example.evil.example/"), "is not among"},
		"a dot behind":           {to("http://hooks.example./"), "is not among"},
		"a user":                 {to("http://hooks.example:canary@" + r.host() + "/"), "must not have a user name or password"},
		"only a user":            {to("http://canary@hooks.example/"), "must not have a user name or password"},
		"a fragment":             {to("http://hooks.example/x#canary"), "must not have a fragment"},
		"an empty fragment":      {to("http://hooks.example/x#"), "must not have a fragment"},
		"another scheme":         {to("ftp://hooks.example/x"), "must begin with http:// or https://"},
		"no scheme":              {to("hooks.example/x"), "must begin with http:// or https://"},
		"a file":                 {to("file:///etc/passwd"), "must begin with http:// or https://"},
		"no host":                {to("http:///x"), "names no host"},
		"opaque":                 {to("http:hooks.example"), "names no host"},
		"a space":                {to("http://hooks.example/a b"), "not printable ASCII"},
		"a line break":           {to("http://hooks.example/\r\nX: y"), "not printable ASCII"},
		"a backslash":            {to(`http://hooks.example\@other.example/`), "is not a URL"},
		"no URL":                 {`{}`, "callback.url is missing"},
		"an empty URL":           {to(""), "callback.url is missing"},
		"a long URL":             {to("http://hooks.example/" + strings.Repeat("x", 2048)), "at most 2048"},
		"a number":               {`{"url": 1}`, "must be a string, not a number"},
		"a string":               {`"http://hooks.example/"`, "callback must be an object, not a string"},
		"a list":                 {`[]`, "callback must be an object"},
		"two URLs":               {`{"url": "http://hooks.example", "url": "http://hooks.example"}`, "twice"},
		"headers as list":        {with(`["canary"]`), "must be an object, not an array"},
		"header with a number":   {with(`{"X-A": 1}`), `"X-A" must be a string`},
		"header with a break":    {with(`{"X-A": "canary\r\nX-B: y"}`), "has a line break"},
		"header with a zero":     {with(`{"X-A": "canary\u0000"}`), "has a line break"},
		"header beyond ASCII":    {with(`{"X-A": "canäry"}`), "not printable ASCII"},
		"header name":            {with(`{"X A": "v"}`), "is not the name of a header"},
		"no header name":         {with(`{"": "v"}`), "is not the name of a header"},
		"header twice":           {with(`{"X-A": "1", "x-a": "2"}`), "twice"},
		"same header twice":      {with(`{"X-A": "1", "X-A": "2"}`), "twice"},
		"signature":              {with(`{"helve-signature": "v"}`), "is reserved"},
		"Helve-Anything":         {with(`{"HELVE-X": "v"}`), "is reserved"},
		"Host":                   {with(`{"host": "v"}`), "is reserved"},
		"Content-Type":           {with(`{"Content-Type": "v"}`), "is reserved"},
		"Content-Length":         {with(`{"content-length": "1"}`), "is reserved"},
		"Transfer-Encoding":      {with(`{"Transfer-Encoding": "chunked"}`), "is reserved"},
		"Connection":             {with(`{"Connection": "close"}`), "is reserved"},
		"Proxy-Authorization":    {with(`{"Proxy-Authorization": "canary"}`), "is reserved"},
		"Upgrade":                {with(`{"Upgrade": "h2c"}`), "is reserved"},
		"too many headers":       {with(`{` + strings.Join(many, ",") + `}`), "at most 20"},
		"headers that are large": {with(`{"X-A": "` + strings.Repeat("x", 8<<10) + `"}`), "at most 8192"},
	} {
		t.Run(name, func(t *testing.T) {
			system.EveryDoor(t, s, func(t *testing.T, d system.Door) {
				tenant := system.NewTenant()
				body := `{"callback": ` + tt.callback + `, "calls": [{"call_id": "c1", "tool": "debug.effect", "arguments": {"key": "k"}}]}`
				got := d.Ask(t, tenant, "execute", nil, body)
				system.WantProblem(t, name, got, 400, "bad_request")
				if !strings.Contains(string(got.Body), strings.ReplaceAll(tt.want, `"`, `\"`)) || strings.Contains(string(got.Body), "canary") {
					t.Errorf("answer: %s, want %q", got.Body, tt.want)
				}
			})
		})
	}
	if log := s.Logs.String(); strings.Contains(log, "canary") {
		t.Error("the log has something secret of a refused callback")
	}
	for _, stream := range []string{"HELVE_ONCE", "HELVE_RESULTS", "HELVE_CALLBACKS"} {
		if stored := s.StoredMessages(t, stream, ""); len(stored) > 0 {
			t.Errorf("a call was accepted: %s holds %v", stream, stored)
		}
	}
}

// TestNotConfigured: the message names the setting; a request without a callback runs.
func TestNotConfigured(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{})
	for name, callback := range map[string]string{"a callback": `{"url": "https://hooks.example/x"}`, "an empty one": `{}`} {
		got := s.HTTP(0).Ask(t, "acme", "execute", nil,
			`{"callback": `+callback+`, "calls": [{"tool": "debug.echo", "arguments": {"value": 1}}]}`)
		system.WantProblem(t, name, got, 400, "bad_request")
		if !strings.Contains(string(got.Body), "callbacks.allowed_hosts") {
			t.Errorf("%s: %s", name, got.Body)
		}
	}
	e := system.Execute(t, s.HTTP(0), "acme", `{"callback": null, "calls": [{"tool": "debug.echo", "arguments": {"value": 1}}]}`).Results[0]
	system.WantResult(t, e, "1")
}

// TestWithoutMasterKey: headers are never stored in the clear.
func TestWithoutMasterKey(t *testing.T) {
	t.Parallel()
	s, r := launchReceiver(t, system.Plan{}, func(c *config.Config) { c.Secrets.KeyFile = "" })
	body := `{"callback": {"url": "` + r.URL + `/hook", "headers": %s}, "calls": [{"tool": "debug.echo", "arguments": {"value": 1}}]}`
	got := s.HTTP(0).Ask(t, "acme", "execute", nil, fmt.Sprintf(body, `{"Authorization": "canary"}`))
	system.WantProblem(t, "headers", got, 400, "bad_request")
	if !strings.Contains(string(got.Body), "--secrets-key") {
		t.Errorf("headers: %s", got.Body)
	}
	system.Execute(t, s.HTTP(0), "acme", fmt.Sprintf(body, `{}`))
	r.await(t, "/hook", 1)
}

// TestNoRoom: callbacks that cannot be stored refuse their calls as overloaded, with the
// setting to change, and other calls run.
func TestNoRoom(t *testing.T) {
	t.Parallel()
	s, r := launchReceiver(t, system.Plan{}, func(c *config.Config) { c.Callbacks.MaxMessages = 20 })
	var refused system.Element
	n := 0
	system.Eventually(t, "calls are refused", func() bool {
		n++
		got := s.HTTP(0).Ask(t, "acme", "execute", nil,
			fmt.Sprintf(`{%s, "calls": [{"call_id": "c%d", "tool": "debug.effect", "arguments": {"key": "k"}}]}`, r.to("/hook"), n))
		if got.Status == 503 {
			refused = system.Decode[system.Answer](t, got).Results[0]
		}
		return got.Status == 503
	})
	system.WantError(t, refused, "overloaded", "callbacks.max_messages")
	call := fmt.Sprintf(`{"call_id": "c%d", "tool": "debug.effect", "arguments": {"key": "late"}}`, n)
	system.WantResult(t, system.One(t, s.HTTP(0), "acme", call), `{"written":true}`)
	if posts := r.await(t, "/hook", n-1); len(posts) != n-1 {
		t.Errorf("%d callbacks of %d calls", len(posts), n-1)
	}
}

// TestCrowdedTenant: a tenant whose receiver takes nothing gets as many callbacks as it may;
// further calls with one are rate_limited and leave nothing behind. Other calls, other tenants
// and calls that were accepted do not notice.
func TestCrowdedTenant(t *testing.T) {
	t.Parallel()
	s, r := launchReceiver(t, system.Plan{Dispatchers: 2}, func(c *config.Config) { c.Callbacks.MaxWaiting = 3 })
	down := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }
	r.answer("/dead", slices.Repeat([]http.HandlerFunc{down}, 1000)...)
	ask := func(dispatcher int, tenant, callID string) system.Reply {
		return s.HTTP(dispatcher).Ask(t, tenant, "execute", nil,
			fmt.Sprintf(`{%s, "calls": [{"call_id": %q, "tool": "debug.effect", "arguments": {"key": %[2]q}}]}`, r.to("/dead"), callID))
	}
	n := 0
	for dispatcher := range 2 {
		system.Eventually(t, fmt.Sprintf("dispatcher %d refuses calls", dispatcher), func() bool {
			n++
			got := ask(dispatcher, "acme", fmt.Sprintf("c%d", n))
			if got.Status == http.StatusTooManyRequests {
				system.WantError(t, system.Decode[system.Answer](t, got).Results[0], "rate_limited", "callbacks.max_waiting")
			}
			return got.Status == http.StatusTooManyRequests
		})
	}
	if e := system.Decode[system.Answer](t, ask(1, "acme", "c1")).Results[0]; e.Status != "success" {
		t.Errorf("a call that was accepted is sent again: %v", e)
	}
	if got := ask(1, "beta", "c1"); got.Status != http.StatusOK {
		t.Errorf("another tenant: %d %s", got.Status, got.Body)
	}
	again := fmt.Sprintf(`{"call_id": "c%d", "tool": "debug.effect", "arguments": {"key": "again"}}`, n)
	system.WantResult(t, system.One(t, s.HTTP(0), "acme", again), `{"written":true}`)
	r.answer("/dead")
	system.Eventually(t, "there is room again", func() bool {
		n++
		return ask(0, "acme", fmt.Sprintf("c%d", n)).Status == http.StatusOK
	})
}
