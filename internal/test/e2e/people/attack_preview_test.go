package people

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestPreviewKeepsSecrets: the person sees that there is a secret, and its value appears in
// no message about the request.
func TestPreviewKeepsSecrets(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Groups: []string{"webFetch"}})
	const (
		tenant = "default"
		bearer = "sk-live-4f9d2c77aa01bb38"
		pass   = "hunter2-and-more"
	)
	d, events := s.HTTP(0), s.Listen(t, tenant)
	trace := system.NewTrace()
	call := fmt.Sprintf(`{"call_id": "x1", "tool": "http_request", "arguments": {"method": "POST", "url": "https://example.org/pay?api_key=%[1]s#session=%[2]s",
		"headers": {"Authorization": "Bearer %[1]s", "X-Api-Key": "%[1]s", "Accept": "text/plain"}, "json": {"password": %[2]q, "amount": 12,
		"args": ["--password", %[2]q, "-u", "bob:%[2]s"], "command": "mysql -p%[2]s; curl -u bob:%[2]s https://example.org/#code=%[2]s"}}}`,
		bearer, pass)
	e := system.Execute(t, d, tenant, fmt.Sprintf(`{"trace_id": %q, "context": {"user": "u1"}, "calls": [%s]}`, trace, call)).Results[0]
	if e.State != "awaiting_consent" {
		t.Fatalf("the call was answered %v, want it to await consent", e)
	}
	system.Eventually(t, "the request is in the inbox", func() bool { return len(system.Consents(t, d, tenant, "pending")) == 1 })
	events.Until("awaiting_consent", "x1")
	shown := string(d.Ask(t, tenant, "consent.get", map[string]string{"consent_id": e.ConsentID}, "").Body)
	if !strings.Contains(shown, "Authorization") || !strings.Contains(shown, "example.org") || !strings.Contains(shown, "text/plain") {
		t.Errorf("the person is not shown what is no secret: %s", shown)
	}
	asked := s.StoredMessages(t, "HELVE_CONSENT", "helve.v1.default.consent.request.u1")
	decided := system.Decide(t, d, tenant, e.ConsentID, `{"decision": "deny", "comment": "no"}`)
	system.WantError(t, system.Settled(t, d, tenant, "x1"), "permission_denied", "no")
	events.Until("done", "x1")
	var heard []string
	for _, ev := range events.Heard {
		heard = append(heard, string(ev.Data))
	}
	trail := s.StoredRecords(t, tenant)
	if len(asked) != 1 || len(trail) < 3 || len(heard) < 3 {
		t.Fatalf("there are %d requests, %d records and %d events to look at", len(asked), len(trail), len(heard))
	}
	list := string(d.Ask(t, tenant, "consent.list", nil, "").Body)
	for where, texts := range map[string][]string{
		"consent.get": {shown}, "consent.list": {list}, "consent.decide": {string(decided.Body)}, "consent.request": asked,
		"the audit trail": trail, "events": heard,
		"consent.decision": s.StoredMessages(t, "HELVE_DECISIONS", "helve.v1.default.consent.decision.u1"), "the log": {s.Logs.String()},
		"audit.query": {string(d.Ask(t, tenant, "audit.query", nil, "").Body)},
	} {
		for _, text := range texts {
			for _, secret := range []string{bearer, pass} {
				if strings.Contains(text, secret) {
					t.Errorf("%s shows %q: %s", where, secret, text)
				}
			}
		}
	}
}

// TestPreviewIsHarmless: invisible characters and markup are escaped for the person, in the
// API and in the inbox's stream.
func TestPreviewIsHarmless(t *testing.T) {
	t.Parallel()
	const nasty = "a\u001b[2Jb\rc\u202edb\u200b<script>alert(1)</script>\u0000\u009b31m\nOK: y"
	tenant, d := system.NewTenant(), shared.HTTP(0)
	args := strings.NewReplacer("\x1b", `\u001b`, "\r", `\r`, "\x00", `\u0000`, "\n", `\n`).Replace(nasty)
	e := system.Park(t, d, tenant, `{"call_id": "x1", "tool": "contract_long", "arguments": {"text": "`+args+`"}}`)
	system.Eventually(t, "the request is in the inbox", func() bool { return len(system.Consents(t, d, tenant, "pending")) == 1 })
	r := system.Consents(t, d, tenant, "pending")[0]
	if n := strings.Count(r.Preview, "\n"); n != 1 {
		t.Errorf("one value is shown as %d lines: %q", n, r.Preview)
	}
	raw := shared.StoredMessages(t, "HELVE_CONSENT", "helve.v1."+tenant+".consent.request.u1")
	if len(raw) != 1 {
		t.Fatalf("the inbox's stream has %d requests", len(raw))
	}
	for where, text := range map[string]string{"the preview": r.Preview, "the arguments": string(r.Arguments), "the stream": raw[0]} {
		if i := strings.IndexFunc(text, func(c rune) bool { return c != '\n' && !unicode.IsPrint(c) }); i >= 0 {
			t.Errorf("%s shows %q", where, text[i:])
		}
		if strings.Contains(text, "<script") {
			t.Errorf("%s holds markup: %s", where, text)
		}
	}
	// The sent arguments run, not the shown ones.
	system.Grant(t, d, tenant, e.ConsentID)
	system.WantResult(t, system.Settled(t, d, tenant, "x1"), fmt.Sprint(len(nasty)))
}
