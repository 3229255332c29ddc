package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/nats-io/nats.go/jetstream"
)

// lying returns everything a stream holds of subjects.
func (s *system) lying(t testing.TB, stream, filter string) (all []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c, err := s.stream(t, stream).OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{FilterSubjects: []string{filter}})
	if err != nil {
		t.Fatal(err)
	}
	info, err := c.Info(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for range info.NumPending {
		msg, err := c.Next(jetstream.FetchMaxWait(patience))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(msg.Data()))
	}
	return all
}

// TestPreviewKeepsSecrets: the person sees that there is a secret, and nobody
// sees which, wherever a request is told about.
func TestPreviewKeepsSecrets(t *testing.T) {
	t.Parallel()
	s := launch(t, plan{})
	const (
		tenant = "default"
		bearer = "sk-live-4f9d2c77aa01bb38"
		pass   = "hunter2-and-more"
	)
	d, events := s.http(0), s.listen(t, tenant)
	trace := newTrace()
	call := fmt.Sprintf(`{"call_id": "x1", "tool": "http_request", "arguments": {"method": "POST", "url": "https://example.org/pay?api_key=%[1]s",
		"headers": {"Authorization": "Bearer %[1]s", "X-Api-Key": "%[1]s", "Accept": "text/plain"}, "json": {"password": %[2]q, "amount": 12}}}`, bearer, pass)
	e := execute(t, d, tenant, fmt.Sprintf(`{"trace_id": %q, "context": {"user": "u1"}, "calls": [%s]}`, trace, call)).Results[0]
	if e.State != "awaiting_consent" {
		t.Fatalf("the call was answered %v, want it to await consent", e)
	}
	eventually(t, "the request is in the inbox", func() bool { return len(consents(t, d, tenant, "pending")) == 1 })
	events.until("awaiting_consent", "x1")
	shown := string(d.ask(t, tenant, "consent.get", map[string]string{"consent_id": e.ConsentID}, "").body)
	if !strings.Contains(shown, "Authorization") || !strings.Contains(shown, "example.org") || !strings.Contains(shown, "text/plain") {
		t.Errorf("the person is not shown what is no secret: %s", shown)
	}
	asked := s.lying(t, "HELVE_CONSENT", "helve.v1.default.consent.request.u1")
	decided := decide(t, d, tenant, e.ConsentID, `{"decision": "deny", "comment": "no"}`)
	wantError(t, settled(t, d, tenant, "x1"), "permission_denied", "no")
	events.until("done", "x1")
	var heard []string
	for _, ev := range events.heard {
		heard = append(heard, string(ev.Data))
	}
	trail := s.lying(t, "HELVE_AUDIT", "helve.v1.default.audit.>")
	if len(asked) != 1 || len(trail) < 3 || len(heard) < 3 {
		t.Fatalf("there are %d requests, %d records and %d events to look at", len(asked), len(trail), len(heard))
	}
	list := string(d.ask(t, tenant, "consent.list", nil, "").body)
	for where, texts := range map[string][]string{
		"consent.get": {shown}, "consent.list": {list}, "consent.decide": {string(decided.body)}, "consent.request": asked, "the audit trail": trail, "events": heard,
		"consent.decision": s.lying(t, "HELVE_DECISIONS", "helve.v1.default.consent.decision.u1"), "the log": {s.logs.String()},
		"audit.query": {string(d.ask(t, tenant, "audit.query", nil, "").body)},
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

// TestPreviewIsHarmless: what is not plainly visible, and markup, reach no
// person as they are, over the API or in the inbox's stream.
func TestPreviewIsHarmless(t *testing.T) {
	t.Parallel()
	const nasty = "a\u001b[2Jb\rc\u202edb\u200b<script>alert(1)</script>\u0000\u009b31m\nOK: y"
	tenant, d := newTenant(), shared.http(0)
	args := strings.NewReplacer("\x1b", `\u001b`, "\r", `\r`, "\x00", `\u0000`, "\n", `\n`).Replace(nasty)
	e := park(t, d, tenant, `{"call_id": "x1", "tool": "contract_long", "arguments": {"text": "`+args+`"}}`)
	eventually(t, "the request is in the inbox", func() bool { return len(consents(t, d, tenant, "pending")) == 1 })
	r := consents(t, d, tenant, "pending")[0]
	if n := strings.Count(r.Preview, "\n"); n != 1 {
		t.Errorf("one value is shown as %d lines: %q", n, r.Preview)
	}
	raw := shared.lying(t, "HELVE_CONSENT", "helve.v1."+tenant+".consent.request.u1")
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
	// What runs is what was sent, not what was shown.
	grant(t, d, tenant, e.ConsentID)
	wantResult(t, settled(t, d, tenant, "x1"), fmt.Sprint(len(nasty)))
}
