package api

import (
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/tool"
)

func TestMint(t *testing.T) {
	s, o := gated(t)
	const plan = `"trace_id":"` + someTrace + `","tools":["delete_file","files.read_text"]`
	base := consent.MintSpec{User: "ada", TraceID: someTrace, Tools: []string{"delete_file", "files.read_text"}, TTL: 5 * time.Minute}
	full := base
	full.Scopes = &tool.Scopes{Paths: []string{"workspace/notes"}}
	full.ArgsHash, full.CallID, full.TTL, full.Reusable = "sha256:"+strings.Repeat("0a", 32), "call-1", 1500*time.Millisecond, true
	for body, want := range map[string]consent.MintSpec{
		`{"user":"ada",` + plan + `}`:                                base,
		`{"context":{"user":"ada"},` + plan + `,"ttl_seconds":null}`: base,
		`{"user":"ada",` + plan + `,"scopes":{"paths":["workspace/notes"]},"args_hash":"` + full.ArgsHash +
			`","call_id":"call-1","ttl_seconds":1.5,"reusable":true}`: full,
	} {
		reply, err := do(s, "tokens.mint", Input{Body: []byte(body)})
		if err != nil || string(reply.Body) != `{"token":"v4.public.x","token_id":"tok1","expires_at":"2026-11-20T12:00:00Z"}` {
			t.Errorf("%s = %s, %v", body, reply.Body, err)
		}
		if diff := gocmp.Diff(want, o.spec); diff != "" {
			t.Errorf("%s mints (-want +got):\n%s", body, diff)
		}
	}
}

func TestMintRefuses(t *testing.T) {
	s, o := gated(t)
	const trace = `"trace_id":"` + someTrace + `"`
	const good = `{"user":"ada",` + trace + `,"tools":["a"]`
	for body, want := range map[string]string{
		``:                              "the body must be a JSON object like",
		`{` + trace + `,"tools":["a"]}`: "user is missing",
		`{"user":"a b",` + trace + `,"tools":["a"]}`:                                    "user must match",
		`{"user":"ada","tools":["a"]}`:                                                  "trace_id must be the 32",
		`{"user":"ada","trace_id":"` + strings.Repeat("0", 32) + `","tools":["a"]}`:     "trace_id must be the 32",
		`{"user":"ada",` + trace + `}`:                                                  "tools must name 1 to 100 tools",
		`{"user":"ada",` + trace + `,"tools":[]}`:                                       "tools must name 1 to 100 tools",
		`{"user":"ada",` + trace + `,"tools":[` + strings.Repeat(`"a",`, 100) + `"a"]}`: "tools must name 1 to 100 tools",
		`{"user":"ada",` + trace + `,"tools":["a","delete_*"]}`:                         `tools[1] "delete_*" is not a tool's exact name`,
		`{"user":"ada",` + trace + `,"tools":"a"}`:                                      "/tools",
		good + `,"ttl_seconds":0}`:                                                      "ttl_seconds must be 1 to 86400",
		good + `,"ttl_seconds":86401}`:                                                  "ttl_seconds must be 1 to 86400",
		good + `,"ttl_seconds":-5}`:                                                     "ttl_seconds must be 1 to 86400",
		good + `,"ttl_seconds":"5m"}`:                                                   "/ttl_seconds",
		good + `,"args_hash":"` + strings.Repeat("0a", 32) + `"}`:                       "args_hash must be sha256:",
		good + `,"args_hash":"sha256:0A"}`:                                              "args_hash must be sha256:",
		good + `,"call_id":"a b"}`:                                                      "call_id must match",
		good + `,"scopes":{"paths":["/etc"]}}`:                                          "scopes: ",
	} {
		_, err := do(s, "tokens.mint", Input{Body: []byte(body)})
		failure(t, err, "bad_request", 400, want)
	}
	if o.calls != 0 {
		t.Errorf("%d malformed tokens were minted", o.calls)
	}
}

// TestWhoMints: a token approves calls, so it is a person's to make.
func TestWhoMints(t *testing.T) {
	s, o := gated(t)
	for _, tt := range []struct {
		by             identity.Principal
		user, context  string
		minted, byUser string
		fail           string
	}{
		{by: as("ada", "", identity.User), user: "ada", minted: "ada", byUser: "ada"},
		{by: as("ada", "", identity.User), minted: "ada", byUser: "ada"},
		{by: as("ada", "", identity.User), user: "bob", fail: "only an approver"},
		{by: as("bob", "", identity.Approver), user: "ada", minted: "ada", byUser: "bob"},
		{by: as("", "", identity.User), user: "ada", minted: "ada", byUser: "ada"},
		{by: as("", "", identity.User), user: "ada", context: `{"user":"bob"}`, fail: "only an approver"},
		{by: as("", "", identity.User), user: "ada", context: `{"user":"ada"}`, minted: "ada", byUser: "ada"},
		{by: as("ada", "", identity.Agent), user: "ada", fail: "tokens.mint needs the role"},
		{by: as("", "notes", identity.Approver), user: "ada", fail: "cannot decide this"},
		{by: as("ada", "", identity.Admin), user: "ada", fail: "tokens.mint needs the role"},
		{by: identity.Anyone("default"), user: "ada", minted: "ada"},
		{by: identity.Anyone("default"), user: "ada", context: `{"agent":"notes"}`, fail: "cannot decide this"},
	} {
		o.calls, o.spec, o.by = 0, consent.MintSpec{}, identity.Principal{}
		body := `{"user":"` + tt.user + `","context":` + orNull(tt.context) + `,"trace_id":"` + someTrace + `","tools":["a"]}`
		_, err := do(s, "tokens.mint", Input{By: tt.by, Body: []byte(body)})
		if tt.fail != "" {
			failure(t, err, "forbidden", 403, tt.fail)
		} else if err != nil {
			t.Errorf("%+v mints for %q: %v", tt.by, tt.user, err)
		}
		if o.spec.User != tt.minted || o.by.User != tt.byUser {
			t.Errorf("%+v mints for %q: a token of %q by %q, want %q by %q", tt.by, tt.user, o.spec.User, o.by.User, tt.minted, tt.byUser)
		}
	}
}

func orNull(text string) string {
	if text == "" {
		return "null"
	}
	return text
}
