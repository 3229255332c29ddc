package apitools

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/helve-dev/helve/tool"
)

func TestParse(t *testing.T) {
	t.Parallel()
	apis, problems, err := parse([]byte(`
- {name: pets, document: pets.yaml}
- name: git-hub
  document: /srv/api.json
  base_url: http://127.0.0.1:8080/v1
  service: {oauth: github, key: other}
  include: ["repos/*"]
  exclude: [repos/delete]
  risk: {repos/get: low}
- {name: one, document: a.yaml, service: acct, exclude: x}
`))
	want := []API{
		{Name: "pets", Document: "pets.yaml"},
		{
			Name: "git-hub", Document: "/srv/api.json", BaseURL: "http://127.0.0.1:8080/v1",
			Service: Binding{ByScheme: map[string]string{"oauth": "github", "key": "other"}}, Include: []string{"repos/*"},
			Exclude: []string{"repos/delete"}, Risk: map[string]tool.Risk{"repos/get": tool.Low}, entry: 1,
		},
		{Name: "one", Document: "a.yaml", Service: Binding{All: "acct"}, Exclude: []string{"x"}, entry: 2},
	}
	if diff := cmp.Diff(want, apis, cmp.AllowUnexported(API{}), cmpopts.EquateEmpty()); diff != "" || err != nil || len(problems) != 0 {
		t.Errorf("parse = %v, %v (-want +got):\n%s", problems, err, diff)
	}
	if got := apis[1].Group() + " " + apis[1].prefix() + " " + apis[1].shownFile(); got != "openapi_git-hub git_hub_ api.json" {
		t.Errorf("group, prefix and shown file are %s", got)
	}
}

// TestBadItems: an invalid item is named and does not affect the others.
func TestBadItems(t *testing.T) {
	t.Parallel()
	for item, want := range map[string]string{
		`{document: a.yaml}`:              "its name must begin with a letter",
		`{name: "a b", document: a.yaml}`: "its name must begin with a letter",
		`{name: x}`:                       "document is missing",
		`{name: x, document: "https://api.example/doc.json"}`:       "never read from the network",
		`{name: x, document: a, typo: 1}`:                           `the field "typo" is not known`,
		`{name: x, document: a, base_url: "api.example"}`:           "base_url must be",
		`{name: x, document: a, base_url: "http://u:p@h"}`:          "base_url must be",
		`{name: x, document: a, base_url: "http://h/?key=1"}`:       "base_url must be",
		`{name: x, document: a, risk: {op: none}}`:                  "want low, medium or high",
		`{name: x, document: a, service: "a b"}`:                    "not the name of a service",
		`{name: x, document: a, service: [a]}`:                      "line 2",
		`{name: Good, document: a}`:                                 "another item has the same name",
		`7`:                                                         "must be a mapping",
		`{name: x, document: [a], include: {}}`:                     "line 2",
		`{name: x, document: a, risk: {op: low}, service: {a: ""}}`: "not the name of a service",
	} {
		apis, problems, err := parse([]byte("- {name: good, document: a.yaml}\n- " + item + "\n"))
		if err != nil || len(apis) != 1 || len(problems) == 0 || problems[0].Entry != 1 || !strings.Contains(problems[0].Reason, want) {
			t.Errorf("%s: %v, %+v, %v, want %q", item, apis, problems, err, want)
		}
	}
	for file, want := range map[string]string{
		"name: x":                    "must be a YAML list",
		"[":                          "must be a YAML list",
		"[]\n---\n[]\n":              "more than one YAML document",
		strings.Repeat("- x\n", 101): "at most 100",
		"&a [*a]":                    "must be a mapping",
	} {
		_, problems, err := parse([]byte(file))
		if err == nil && len(problems) > 0 {
			err = fmtError(problems[0].Reason)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20s: %v, want %q", file, err, want)
		}
	}
	if apis, problems, err := parse(nil); len(apis)+len(problems) != 0 || err != nil {
		t.Errorf("an empty file is %v, %v, %v", apis, problems, err)
	}
}

type fmtError string

func (e fmtError) Error() string { return string(e) }

func TestReadFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	large := filepath.Join(dir, "large")
	if err := os.WriteFile(large, make([]byte, maxFile+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir:                        "not a file",
		filepath.Join(dir, "none"): "no such file",
		large:                      "larger than",
		"/dev/zero":                "not a file",
	} {
		if _, _, err := Read(path); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), dir) {
			t.Errorf("Read(%s) = %v, want %q without the path", path, err, want)
		}
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern, text string
		want          bool
	}{
		{"a", "a", true}, {"a", "ab", false}, {"*", "", true}, {"repos/*", "repos/get/x", true}, {"repos/*", "orgs/get", false},
		{"*get*", "repos/get-x", true}, {"*a*a", "a", false}, {"*a*a", "aa", true}, {"a*b*c", "a1b2c", true}, {"a*b*c", "acb", false},
		{"*list", "listlist", true}, {"ab*ba", "aba", false}, {"", "", true}, {"", "x", false},
	} {
		if got := match(tt.pattern, tt.text); got != tt.want {
			t.Errorf("match(%q, %q) = %v", tt.pattern, tt.text, got)
		}
	}
	a := API{Include: []string{"repos/*", "x"}, Exclude: []string{"*delete*"}}
	for id, want := range map[string]bool{"repos/get": true, "x": true, "repos/delete-x": false, "orgs/get": false} {
		if got := a.offers(id); got != want {
			t.Errorf("offers(%s) = %v", id, got)
		}
	}
}

// TestNames: names are in snake case, at most 64 bytes, and unique.
func TestNames(t *testing.T) {
	t.Parallel()
	a := API{Name: "git-Hub"}
	long := "repos/" + strings.Repeat("very-long-", 9)
	ids := []string{
		"repos/list-for-org", "listPets", "list-pets", "getHTTPResponse", "get /a/{id}", long + "a", long + "b", "データ", "a.b", "Größe",
	}
	names := a.names(ids)
	want := []string{
		"git_hub_repos_list_for_org", "git_hub_list_pets_", "git_hub_list_pets_", "git_hub_get_http_response", "git_hub_get_a_id",
		"git_hub_repos_very_long_", "git_hub_repos_very_long_", "git_hub_", "git_hub_a_b", "git_hub_gro",
	}
	seen := map[string]bool{}
	for i, name := range names {
		if !strings.HasPrefix(name, want[i]) || !tool.ValidName(name) || seen[name] || strings.Contains(name, ".") {
			t.Errorf("%s is named %s, want %s", ids[i], name, want[i])
		}
		seen[name] = true
	}
	if again := (&API{Name: "git-Hub"}).names(ids[5:6]); again[0] != names[5] {
		t.Errorf("the name of a long operation depends on others: %s, %s", again[0], names[5])
	}
	if len(names[5]) != tool.MaxNameLength {
		t.Errorf("%s has %d bytes", names[5], len(names[5]))
	}
}
