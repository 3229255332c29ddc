package policy

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

// TestExamples walks through config/policy, which operators copy from.
func TestExamples(t *testing.T) {
	t.Parallel()
	const (
		own     = `{"url": "https://api.acme.example/v1", "method": "POST"}`
		foreign = `{"url": "https://other.example/", "method": "POST"}`
		get     = `{"url": "https://other.example/", "method": "GET"}`
	)
	saturday := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name    string
		profile Profile
		def     *tool.Definition
		args    string
		change  func(*Input)
		want    Outcome
		rule    string
		narrow  []tool.Scopes
	}{
		{"an agent kept offline", "", httpRequest, get, func(in *Input) { in.Agent = "scribe" }, Refuse, "scribe-stays-offline", nil},
		{
			"another tenant's agent of that name", "", httpRequest, get,
			func(in *Input) { in.Agent, in.Tenant, in.Mutates = "scribe", "other", false }, Run, "table:medium-reads", nil,
		},
		{"a dotfile", "", writeFile, `{"path": ".env"}`, nil, Refuse, "no-dotfiles", nil},
		{"a dotfile further down", "", writeFile, `{"path": "a/b/.git"}`, nil, Refuse, "no-dotfiles", nil},
		{"a file like any other", "", writeFile, `{"path": "a.txt"}`, nil, Run, "table:low", nil},
		{"a call that forgets the path", "", writeFile, `{}`, nil, Refuse, "no-dotfiles", nil},

		{"a request at the weekend", "", httpRequest, own, func(in *Input) { in.Now = saturday }, Ask, "office-hours", nil},
		{
			"a request at night under auto", Auto, httpRequest, get, func(in *Input) { in.Now = in.Now.Add(8 * time.Hour) }, Ask,
			"office-hours", nil,
		},
		{
			"a reading request at the weekend", "", httpRequest, get, func(in *Input) { in.Now, in.Mutates = saturday, false }, Run,
			"table:medium-reads", nil,
		},
		{"code on schedule under auto", Auto, runShell, `{}`, func(in *Input) { in.Origin = Schedule }, Refuse, "no-code-on-schedule", nil},

		{
			"a post to our own", "", httpRequest, own, nil, Run, "own-services",
			[]tool.Scopes{{Hosts: []string{"api.acme.example", "*.intra.acme.example"}}},
		},
		{"a post elsewhere", "", httpRequest, foreign, nil, Ask, "foreign-posts", nil},
		{"a post elsewhere under auto", Auto, httpRequest, foreign, nil, Ask, "foreign-posts", nil},
		{
			"a host that begins like ours", "", httpRequest, `{"url": "https://api.acme.example.evil.test/", "method": "POST"}`, nil, Ask,
			"foreign-posts", nil,
		},
		{
			"a user name like our host", "", httpRequest, `{"url": "https://api.acme.example@evil.test/", "method": "POST"}`, nil, Ask,
			"foreign-posts", nil,
		},
		{"ours in capitals", "", httpRequest, `{"url": "HTTPS://API.acme.example/", "method": "POST"}`, nil, Ask, "foreign-posts", nil},
		{"a post of another tenant", "", httpRequest, own, func(in *Input) { in.Tenant = "other" }, Ask, "table:medium-mutates", nil},

		{
			"the librarian's shelf", Strict, writeFile, `{"path": "shelf/a.txt"}`, func(in *Input) { in.Agent = "librarian" }, Run,
			"librarian-shelf", []tool.Scopes{{Paths: []string{"shelf"}}},
		},
		{
			"the librarian's way out", Strict, writeFile, `{"path": "shelf/../a.txt"}`, func(in *Input) { in.Agent = "librarian" }, Refuse,
			"no-dotfiles", nil,
		},
		{
			"the librarian elsewhere", Strict, writeFile, `{"path": "a.txt"}`, func(in *Input) { in.Agent = "librarian" }, Ask,
			"table:strict-mutates", nil,
		},
		{"somebody else's shelf", Strict, writeFile, `{"path": "shelf/a.txt"}`, nil, Ask, "table:strict-mutates", nil},
		{
			"a guest", "", httpRequest, get, func(in *Input) { in.Tenant, in.Mutates = "guest", false }, Run, "table:medium-reads",
			[]tool.Scopes{{Hosts: []string{"*.guest.example", "docs.acme.example"}}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := New(Options{Profile: tt.profile, Rules: []string{"../../config/policy"}})
			if err != nil {
				t.Fatal(err)
			}
			in := call(tt.def, tt.args)
			in.Agent = ""
			if tt.change != nil {
				tt.change(&in)
			}
			got := p.Decide(in)
			if got.Outcome != tt.want || got.Rule != tt.rule || !cmp.Equal(got.Narrow, tt.narrow) {
				t.Errorf("Decide = %+v, want %s by %s, narrowed to %v", got, tt.want, tt.rule, tt.narrow)
			}
			if !strings.HasSuffix(got.Reason, ".") {
				t.Errorf("Reason = %q, want a sentence", got.Reason)
			}
		})
	}
}
