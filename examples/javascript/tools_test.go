package javascript

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/toolbox/js/library"
	"github.com/helve-dev/helve/internal/toolbox/js/manifest"
	"github.com/helve-dev/helve/tool"
)

// open loads the tools, which must be in order to the last warning.
func open(t *testing.T, s *service) *office {
	t.Helper()
	env := map[string]map[string]string{"weather": {"WEATHER_URL": s.URL, "WEATHER_KEY": "k1"}}
	for _, operation := range []string{"list", "search", "get", "create", "comment", "close"} {
		env["issues_"+operation] = map[string]string{"ISSUES_URL": s.URL + "/", "ISSUES_TOKEN": "t1"}
	}
	l, err := library.Open(library.Options{Dirs: []string{"tools"}, Env: env})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range l.Problems() {
		t.Error(p)
	}
	o := &office{tools: map[string]library.Loaded{}, guard: guardFor(t, s)}
	for _, loaded := range l.Tools() {
		o.tools[loaded.Tool.Name] = loaded
	}
	if len(o.tools) != len(env) {
		t.Fatalf("%d tools were loaded, want %d", len(o.tools), len(env))
	}
	return o
}

func TestWeather(t *testing.T) {
	t.Parallel()
	const oslo = `{"location": {"name": "Oslo"}, "current": {"temp_c": 21.5, "temp_f": 70.7, "condition": {"text": "Sunny"}}}`
	s := serve(t, map[string]string{
		"GET /v1/current.json?key=k1&q=Oslo":    oslo,
		"GET /v1/current.json?key=k1&q=Nowhere": `400 {"error": {"code": 1006, "message": "No matching location found."}}`,
		"GET /v1/current.json?key=k1&q=Proxy":   `502 bad gateway`,
	})
	o := open(t, s)
	host := strings.TrimPrefix(s.URL, "http://")
	for _, tt := range []struct{ args, want string }{
		{`{"city": "Oslo"}`, `{"city":"Oslo","condition":"Sunny","temperature":21.5,"units":"celsius"}`},
		{`{"city": "Oslo", "units": "fahrenheit"}`, `{"city":"Oslo","condition":"Sunny","temperature":70.7,"units":"fahrenheit"}`},
		{`{"city": "Nowhere"}`, "execution_error: Error: " + host + " answered 400: No matching location found. (lib/rest.js:"},
		{`{"city": "Proxy"}`, "execution_error: Error: " + host + " answered 502: bad gateway (lib/rest.js:"},
		{`{}`, "validation_error: "},
	} {
		if got := o.call(t, "weather", tt.args); !strings.HasPrefix(got, tt.want) {
			t.Errorf("weather(%s) = %s, want %s", tt.args, got, tt.want)
		}
	}
}

// tracker is the world of the tests of the group.
var tracker = map[string]string{
	"GET /repos/acme/web/issues?state=open&per_page=20": `[` + crash +
		`, {"number": 8, "title": "Fix it", "state": "open", "labels": [], "html_url": "u8", "pull_request": {}}]`,
	"GET /repos/acme/web/issues?state=all&labels=bug%2Cui&per_page=50":         `[]`,
	"GET /search/issues?q=repo%3Aacme%2Fweb+is%3Aissue+white+page&per_page=20": `{"total_count": 1, "items": [` + crash + `]}`,
	"GET /repos/acme/web/issues/7":                                             crash,
	"GET /repos/acme/web/issues/7/comments":                                    `[{"user": {"login": "ann"}, "body": "Me too."}]`,
	"POST /repos/acme/web/issues":                                              "201 " + crash,
	"POST /repos/acme/web/issues/7/comments":                                   `201 {"html_url": "u7#1"}`,
	"PATCH /repos/acme/web/issues/7":                                           strings.Replace(crash, `"open"`, `"closed"`, 1),
}

const (
	crash   = `{"number": 7, "title": "Crash", "state": "open", "labels": [{"name": "bug"}], "html_url": "u7", "body": null}`
	summary = `{"labels":["bug"],"number":7,"state":"open","title":"Crash","url":"u7"}`
)

func TestIssues(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, args, want string
		sent             []string // without the Authorization
	}{
		{"issues_list", `{"repo": "acme/web"}`, `[` + summary + `]`, []string{"GET /repos/acme/web/issues?state=open&per_page=20 | "}},
		{"issues_list", `{"repo": "acme/web", "state": "all", "labels": ["bug", "ui"], "limit": 900}`, `[]`, nil},
		{"issues_search", `{"repo": "acme/web", "query": "white page"}`, `{"issues":[` + summary + `],"total":1}`, nil},
		{
			"issues_get", `{"repo": "acme/web", "number": 7}`,
			`{"body":"","comments":[{"author":"ann","body":"Me too."}],"labels":["bug"],"number":7,"state":"open","title":"Crash","url":"u7"}`,
			[]string{"GET /repos/acme/web/issues/7 | ", "GET /repos/acme/web/issues/7/comments | "},
		},
		{
			"issues_create", `{"repo": "acme/web", "title": "Crash", "labels": ["bug"]}`, summary,
			[]string{`POST /repos/acme/web/issues | {"body":"","labels":["bug"],"title":"Crash"}`},
		},
		{
			"issues_comment", `{"repo": "acme/web", "number": 7, "body": "Me too."}`, `{"url":"u7#1"}`,
			[]string{`POST /repos/acme/web/issues/7/comments | {"body":"Me too."}`},
		},
		{
			"issues_close", `{"repo": "acme/web", "number": 7}`, strings.Replace(summary, "open", "closed", 1),
			[]string{`PATCH /repos/acme/web/issues/7 | {"state":"closed","state_reason":"completed"}`},
		},
		{"issues_get", `{"repo": "acme/none", "number": 7}`, "execution_error: ", nil},
		{"issues_get", `{"repo": "acme/../web", "number": 7}`, "validation_error: ", []string{}},
	} {
		s := serve(t, tracker)
		got := open(t, s).call(t, tt.name, tt.args)
		if !strings.HasPrefix(got, tt.want) || strings.Contains(got, "t1") {
			t.Errorf("%s(%s) = %s, want %s", tt.name, tt.args, got, tt.want)
		}
		var sent []string
		for _, request := range s.requests() {
			request, token := strings.CutSuffix(request, " | Bearer t1")
			if !token {
				t.Errorf("%s sent %s without the token", tt.name, request)
			}
			sent = append(sent, request)
		}
		slices.Sort(sent) // two go out at a time
		if tt.sent != nil && !slices.Equal(sent, tt.sent) {
			t.Errorf("%s(%s) sent (-want +got):\n%s", tt.name, tt.args, cmp.Diff(tt.sent, sent))
		}
	}
}

// TestIssuesRisk: what changes something on a server of others needs a person,
// reading does not.
func TestIssuesRisk(t *testing.T) {
	t.Parallel()
	for name, loaded := range open(t, serve(t, nil)).tools {
		if name == "weather" {
			continue
		}
		def := loaded.Tool.Definition
		if def.Mutates != (def.Risk == tool.Medium) || loaded.Entry == manifest.Whole || loaded.File != "issues.json" {
			t.Errorf("%s of %s[%d] has risk %s and mutates %v", name, loaded.File, loaded.Entry, def.Risk, def.Mutates)
		}
	}
}
