package api

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/protocol"
)

// TestListConsentsWaits: with the revision that the inbox has, a list waits for a change,
// and is left out if there is none.
func TestListConsentsWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, o := gated(t)
		o.revision = "r1"
		list := func(params map[string]string, ending chan struct{}) (string, time.Duration) {
			t.Helper()
			began := time.Now()
			reply, err := do(s, "consent.list", Input{Params: params, Ending: ending})
			if err != nil {
				t.Fatal(err)
			}
			return string(reply.Body), time.Since(began)
		}
		const unchanged = `{"consents":[],"revision":"r1","unchanged":true}`
		for wait, want := range map[string]time.Duration{"": 0, "0": 0, "250": 250 * time.Millisecond, "3600000": maxInboxWait} {
			if got, took := list(map[string]string{"revision": "r1", "wait_ms": wait}, nil); got != unchanged || took != want {
				t.Errorf("wait_ms=%s: %s after %v, want %s after %v", wait, got, took, unchanged, want)
			}
		}
		if got, took := list(map[string]string{"revision": "r0", "wait_ms": "5000", "oldest": "true"}, nil); took != 0 ||
			!strings.Contains(got, `"revision":"r1"`) ||
			!strings.Contains(got, `"consent_id":"c1"`) || !o.filter.Oldest || o.known != "r0" {
			t.Errorf("with another revision: %s after %v, asked %+v", got, took, o.filter)
		}
		ending := make(chan struct{})
		time.AfterFunc(time.Second, func() { close(ending) })
		if got, took := list(map[string]string{"revision": "r1", "wait_ms": "5000"}, ending); got != unchanged || took != time.Second {
			t.Errorf("when the server stops: %s after %v", got, took)
		}
		for name, value := range map[string]string{"wait_ms": "-1", "oldest": "yes"} {
			if _, err := do(s, "consent.list", Input{Params: map[string]string{name: value}}); err == nil {
				t.Errorf("%s=%s is accepted", name, value)
			}
		}
	})
}

func TestListConsents(t *testing.T) {
	s, o := gated(t)
	reply, err := do(s, "consent.list", Input{
		Params: map[string]string{"status": "pending", "user": "ada", "agent": "notes", "tool": "delete_file", "limit": "7", "cursor": "c"},
	})
	want := consent.Filter{Status: protocol.PendingConsent, User: "ada", Agent: "notes", Tool: "delete_file", Limit: 7, Cursor: "c"}
	if err != nil || o.filter != want || !strings.HasPrefix(string(reply.Body), `{"consents":[{"consent_id":"c1",`) ||
		!strings.HasSuffix(string(reply.Body), `],"next":"more-of-default"}`) {
		t.Errorf("consent.list = %s, %v, asked %+v", reply.Body, err, o.filter)
	}
	o.consents = nil
	reply, err = do(s, "consent.list", Input{Tenant: "t2"})
	if want := `{"consents":[],"next":"more-of-t2"}`; err != nil || string(reply.Body) != want || o.filter != (consent.Filter{Limit: 100}) {
		t.Errorf("consent.list = %s, %v, asked %+v, want %s", reply.Body, err, o.filter, want)
	}
	for params, want := range map[string]string{
		"status=open":  `status must be one of "pending", "granted", "denied", "expired", "cancelled", "refused", but it is "open"`,
		"user=a b":     "user must match",
		"agent=a b":    "agent must match",
		"tool=a-b":     `"a-b" is not a tool's name`,
		"limit=0":      `limit must be 1 to 1000, but it is "0"`,
		"limit=1001":   "limit must be 1 to 1000",
		"limit=lots":   "limit must be 1 to 1000",
		"limit=-1":     "limit must be 1 to 1000",
		"limit=1e2":    "limit must be 1 to 1000",
		"status=a\x00": "status must be one of",
	} {
		name, value, _ := strings.Cut(params, "=")
		_, err := do(s, "consent.list", Input{Params: map[string]string{name: value}})
		failure(t, err, "bad_request", 400, want)
	}
}

// TestWhoseConsents holds people to their own, and lets those look who must.
func TestWhoseConsents(t *testing.T) {
	s, o := gated(t)
	for _, tt := range []struct {
		by          identity.Principal
		user, asked string
		fail        string
		mayRead     bool
	}{
		{by: as("ada", "", identity.User), asked: "ada", mayRead: true},
		{by: as("ada", "", identity.User), user: "bob", fail: `the user "bob"`},
		{by: as("bob", "", identity.User), asked: "bob"},
		{by: as("", "", identity.User), fail: "names no user"},
		{by: as("", "", identity.User), user: "ada", asked: "ada", mayRead: true},
		{by: as("bob", "", identity.Approver), mayRead: true},
		{by: as("bob", "", identity.Approver), user: "ada", asked: "ada", mayRead: true},
		{by: as("bob", "", identity.Approver), user: "bob", asked: "bob", mayRead: true},
		{by: as("bob", "", identity.Admin), mayRead: true},
		{by: as("", "", identity.Auditor), mayRead: true},
		{by: identity.Anyone("default"), user: "ada", asked: "ada", mayRead: true},
	} {
		o.filter = consent.Filter{}
		_, err := do(s, "consent.list", Input{By: tt.by, Params: map[string]string{"user": tt.user}})
		if tt.fail != "" {
			failure(t, err, "forbidden", 403, tt.fail)
		} else if err != nil || o.filter.User != tt.asked {
			t.Errorf("%+v lists the consents of %q: %v, want those of %q", tt.by, o.filter.User, err, tt.asked)
		}
		_, err = do(s, "consent.get", Input{By: tt.by, Params: map[string]string{"consent_id": "c1", "user": tt.user}})
		if !tt.mayRead && tt.fail == "" {
			failure(t, err, "not_found", 404, "no consent with this id is known")
		} else if !tt.mayRead {
			failure(t, err, "forbidden", 403, "")
		} else if err != nil {
			t.Errorf("%+v reads a consent of ada: %v", tt.by, err)
		}
	}
	_, err := do(s, "consent.get", Input{Params: map[string]string{"consent_id": "a.b"}})
	failure(t, err, "bad_request", 400, "consent_id must match")
	_, err = do(s, "consent.get", Input{Tenant: "t2", Params: map[string]string{"consent_id": "c1"}})
	failure(t, err, "not_found", 404, "no consent")
}

func decide(s *Service, by identity.Principal, body string) (Reply, error) {
	return do(s, "consent.decide", Input{By: by, Params: map[string]string{"consent_id": "c1"}, Body: []byte(body)})
}

func TestDecide(t *testing.T) {
	s, o := gated(t)
	for body, want := range map[string]consent.Decision{
		`{"decision":"grant"}`: {Grant: true, Remember: protocol.RememberOnce},
		`{"decision":"grant","remember":"session","comment":"fine"}`: {Grant: true, Remember: protocol.RememberSession, Comment: "fine"},
		`{"decision":"grant","remember":"always","unknown":[1]}`:     {Grant: true, Remember: protocol.RememberAlways},
		`{"decision":"deny","remember":null,"never_ask":true}`:       {Remember: protocol.RememberOnce, NeverAsk: true},
		`{"decision":"deny","comment":"` + strings.Repeat("é", 1000) + `"}`: {
			Remember: protocol.RememberOnce, Comment: strings.Repeat("é", 1000),
		},
	} {
		reply, err := decide(s, as("ada", "", identity.User), body)
		if err != nil || !strings.HasPrefix(string(reply.Body), `{"consent_id":"c1","status":"granted",`) {
			t.Errorf("%s = %s, %v", body, reply.Body, err)
		}
		if diff := gocmp.Diff(want, o.decision); diff != "" {
			t.Errorf("%s decides (-want +got):\n%s", body, diff)
		}
	}
}

func TestDecideRefuses(t *testing.T) {
	s, o := gated(t)
	for body, want := range map[string]string{
		``:                                       "the body must be a JSON object like",
		`[]`:                                     "the body must be a JSON object like",
		`{"decision":"grant","decision":"deny"}`: "duplicate",
		`{}`:                                     `decision must be one of "grant", "deny", but it is ""`,
		`{"decision":"yes"}`:                     `decision must be one of "grant", "deny", but it is "yes"`,
		`{"decision":"Grant"}`:                   `decision must be one of`,
		`{"decision":true}`:                      "/decision",
		`{"decision":"grant","remember":"day"}`:  `remember must be one of "once", "program", "session", "always", but it is "day"`,
		`{"decision":"grant","never_ask":true}`:  "never_ask goes with a denial",
		`{"decision":"deny","never_ask":"yes"}`:  "/never_ask",
		`{"decision":"grant","by":"a b"}`:        "user must match",
		`{"decision":"grant","context":{"agent":"a b"}}`:                    "agent must match",
		`{"decision":"deny","comment":"` + strings.Repeat("é", 1001) + `"}`: "comment has more than 1000 characters",
	} {
		_, err := decide(s, identity.Principal{}, body)
		failure(t, err, "bad_request", 400, want)
	}
	if o.calls != 0 {
		t.Errorf("%d malformed decisions were made", o.calls)
	}
}

// TestWhoDecides is the heart of the gate: the person who was asked, or an
// approver, and never the agent that asked.
func TestWhoDecides(t *testing.T) {
	s, o := gated(t)
	anyone := identity.Anyone("default")
	for _, tt := range []struct {
		by         identity.Principal
		body       string
		user, fail string
	}{
		{by: as("ada", "", identity.User), user: "ada"},
		{by: as("bob", "", identity.Approver), user: "bob"},
		{by: as("", "", identity.Approver), user: ""},
		{by: as("", "", identity.User), body: `"context":{"user":"ada"}`, user: "ada"},
		{by: as("ada", "other", identity.User), user: "ada"},
		{by: as("", "", identity.User), fail: "no consent with this id is known"},
		{by: as("bob", "", identity.User), fail: "no consent with this id is known"},
		{by: as("bob", "", identity.User), body: `"by":"ada"`, fail: `the user "ada"`},
		{by: as("bob", "", identity.Approver), body: `"context":{"user":"ada"}`, fail: `the user "ada"`},
		{by: as("ada", "notes", identity.User), fail: "the agent that asked cannot approve"},
		{by: as("ada", "notes", identity.User), body: `"context":{"agent":"other"}`, fail: `the agent "other"`},
		{by: as("bob", "notes", identity.Approver), fail: "the agent that asked cannot approve"},
		{by: as("", "other", identity.Approver), fail: `the agent "other" cannot decide this`},
		{by: as("ada", "", identity.Admin), fail: "consent.decide needs the role"},
		{by: as("ada", "", identity.Agent), fail: "consent.decide needs the role"},
		{by: as("ada", "", identity.Auditor), fail: "consent.decide needs the role"},
		{by: anyone, user: ""},
		{by: anyone, body: `"by":"bob"`, user: "bob"},
		{by: anyone, body: `"by":"bob","context":{"user":"ada"}`, user: "bob"},
		{by: anyone, body: `"context":{"user":"ada","agent":"notes"}`, fail: "the agent that asked cannot approve"},
		{by: anyone, body: `"context":{"agent":"notes"}`, fail: "cannot decide this"},
	} {
		o.calls, o.by = 0, identity.Principal{}
		body := `{"decision":"grant"}`
		if tt.body != "" {
			body = `{"decision":"grant",` + tt.body + `}`
		}
		_, err := decide(s, tt.by, body)
		if tt.fail != "" {
			if strings.HasPrefix(tt.fail, "no consent") {
				failure(t, err, "not_found", 404, tt.fail)
			} else {
				failure(t, err, "forbidden", 403, tt.fail)
			}
			if o.calls != 0 {
				t.Errorf("%+v with %s is refused, but decides", tt.by, body)
			}
			continue
		}
		if err != nil || o.by.User != tt.user || o.by.Name != tt.by.Name {
			t.Errorf("%+v with %s decides as %+v: %v, want the user %q", tt.by, body, o.by, err, tt.user)
		}
	}
}
