package client

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

const oneConsent = `{"consent_id":"k1","status":"granted","call":{"call_id":"c1","tool_call_id":"t1","trace_id":"` + trace +
	`"},"tool":"delete_file","risk":"medium",` +
	`"reason":"It deletes.","rule":"table:medium-mutates","permissions":["disk"],"scopes":{"paths":["workspace"],"hosts":[],"apps":[]},"tenant":"default","user":"ada",` +
	`"agent":"notes","conversation":"v1","arguments":{"path":"old.txt","n":1.10},"preview":"path: old.txt","warnings":["path: it is old"],"args_hash":"sha256:00","requested_at":"2026-11-20T12:00:00Z",` +
	`"expires_at":"2026-11-20T12:10:00Z","decision":{"status":"granted","by":"ada","at":"2026-11-20T12:01:00Z","remember":"session","never_ask":true,"comment":"fine"}}`

var wantConsent = Consent{
	ID: "k1", Status: ConsentGranted, Call: ConsentCall{CallID: "c1", ToolCallID: "t1", TraceID: trace}, Tool: "delete_file",
	Risk:   tool.Medium,
	Reason: "It deletes.", Rule: "table:medium-mutates", Permissions: []string{"disk"},
	Scopes: tool.Scopes{Paths: []string{"workspace"}, Hosts: []string{}, Apps: []string{}},
	Tenant: "default", User: "ada", Agent: "notes", Conversation: "v1",
	Arguments: []byte(`{"path":"old.txt","n":1.10}`), Preview: "path: old.txt", Warnings: []string{"path: it is old"}, ArgsHash: "sha256:00",
	RequestedAt: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), ExpiresAt: time.Date(2026, 11, 20, 12, 10, 0, 0, time.UTC),
	Verdict: &Verdict{
		Status:   ConsentGranted,
		By:       "ada",
		At:       time.Date(2026, 11, 20, 12, 1, 0, 0, time.UTC),
		Remember: RememberSession,
		NeverAsk: true,
		Comment:  "fine",
	},
}

// wantAsked checks which operation a client last asked for, with which fields.
func wantAsked(t *testing.T, f *far, op string, body map[string]any) {
	t.Helper()
	got := f.last()
	if diff := cmp.Diff(body, got.body); got.op != op || diff != "" {
		t.Errorf("asked %s, want %s (-want +got):\n%s", got.op, op, diff)
	}
}

func TestConsents(t *testing.T) {
	for name, start := range transports {
		t.Run(name, func(t *testing.T) {
			f := start(t, func(a asked) reply {
				if a.op == "consent.list" {
					return reply{body: `{"consents":[` + oneConsent + `],"next":"n2"}`}
				}
				return reply{body: oneConsent}
			})
			c := connect(t, f, WithContext(Context{User: "ada", Conversation: "v1"}))
			page, err := c.Consents(t.Context(), ConsentFilter{
				Status: ConsentPending,
				User:   "bob",
				Agent:  "notes",
				Tool:   "delete_file",
				Limit:  5,
				Cursor: "n1",
			})
			if diff := cmp.Diff(ConsentPage{Consents: []Consent{wantConsent}, Next: "n2"}, page); err != nil || diff != "" {
				t.Errorf("Consents: %v (-want +got):\n%s", err, diff)
			}
			wantAsked(t, f, "consent.list", map[string]any{
				"status": "pending", "user": "bob", "agent": "notes", "tool": "delete_file", "limit": "5", "cursor": "n1",
			})
			if _, err := c.Consents(t.Context(), ConsentFilter{}); err != nil {
				t.Error(err)
			}
			wantAsked(t, f, "consent.list", map[string]any{})

			got, err := c.Consent(t.Context(), "k1")
			if diff := cmp.Diff(wantConsent, got); err != nil || diff != "" {
				t.Errorf("Consent: %v (-want +got):\n%s", err, diff)
			}
			wantAsked(t, f, "consent.get", map[string]any{"consent_id": "k1", "user": "ada"})
			count := f.count()
			if _, err := c.Consent(t.Context(), "../k1"); err == nil || f.count() != count {
				t.Errorf("Consent of a bad id: error %v, want one without a request", err)
			}
		})
	}
}

func TestDecide(t *testing.T) {
	for name, start := range transports {
		t.Run(name, func(t *testing.T) {
			f := start(t, always(oneConsent))
			c := connect(t, f, WithContext(Context{User: "ada", Agent: "notes", Conversation: "v1"}))
			got, err := c.Decide(t.Context(), "k1", Decision{Grant: true, Remember: RememberSession, Comment: "fine"})
			if diff := cmp.Diff(wantConsent, got); err != nil || diff != "" {
				t.Errorf("Decide: %v (-want +got):\n%s", err, diff)
			}
			who := map[string]any{"user": "ada", "agent": "notes"}
			wantAsked(t, f, "consent.decide", map[string]any{
				"consent_id": "k1", "decision": "grant", "remember": "session", "comment": "fine", "context": who,
			})
			if _, err := c.Decide(t.Context(), "k1", Decision{NeverAsk: true}); err != nil {
				t.Error(err)
			}
			wantAsked(t, f, "consent.decide", map[string]any{"consent_id": "k1", "decision": "deny", "never_ask": true, "context": who})
			count := f.count()
			if _, err := c.Decide(t.Context(), "", Decision{}); err == nil || f.count() != count {
				t.Errorf("Decide on no id: error %v, want one without a request", err)
			}
		})
	}
}

func TestDecideTooLate(t *testing.T) {
	f := farHTTP(t, func(asked) reply {
		return reply{status: 409, body: `{"error_type":"conflict","detail":"bob was first"}`}
	})
	_, err := connect(t, f).Decide(t.Context(), "k1", Decision{})
	if e, ok := errors.AsType[*RequestError](err); !ok || e.Type != Conflict || e.Message != "bob was first" {
		t.Errorf("Decide on what is decided: %v, want a conflict", err)
	}
}
