package tools

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/tool"
)

// githubDocument names GitHub's published description of its API, of the npm package
// @octokit/openapi. The step sdks of .ci/run installs it and sets the variable.
const githubDocument = "GITHUB_OPENAPI"

// TestGitHubDocument: the more than a thousand operations of GitHub's document are tools,
// whose schemas compile, and the search finds the right one.
func TestGitHubDocument(t *testing.T) {
	document := os.Getenv(githubDocument)
	if document == "" {
		t.Skipf("%s does not name the document; .ci/run sdks installs it and runs this test", githubDocument)
	}
	var path, auth string
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, auth = r.URL.String(), r.Header.Get("Authorization")
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `[{"number": 1}]`)
	}))
	defer api.Close()
	file := filepath.Join(t.TempDir(), "apis.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, "- {name: github, document: %q, base_url: %q, service: gh}\n", document, api.URL),
		0o600); err != nil {
		t.Fatal(err)
	}
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.OpenAPIFile = file }})
	d := s.HTTP(0)
	var list struct {
		Tools      []tool.Definition
		LoadErrors []any `json:"load_errors"`
	}
	if err := json.Unmarshal(d.Ask(t, "acme", "tools.list", map[string]string{"group": "openapi_github"}, "").Body, &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Tools) < 1000 || len(list.LoadErrors) != 0 {
		t.Fatalf("%d tools, load errors %v", len(list.Tools), list.LoadErrors)
	}
	for _, def := range list.Tools {
		if _, err := schema.Compile(def.Parameters); err != nil {
			t.Errorf("%s: %v", def.Name, err)
		}
	}
	for _, format := range []string{"openai", "anthropic", "gemini", "mcp"} {
		if r := d.Ask(t, "acme", "tools.list", map[string]string{"group": "openapi_github", "format": format}, ""); r.Status != 200 ||
			strings.Count(string(r.Body), "github_issues_create\"") != 1 {
			t.Errorf("as %s: %d, %d bytes", format, r.Status, len(r.Body))
		}
	}
	for query, want := range map[string]string{
		"create an issue in a repository": "github_issues_create", "list the branches of a repository": "github_repos_list_branches",
		"merge a pull request": "github_pulls_merge",
		"star a repository":    "github_activity_star_repo_for_authenticated_user", "delete a release": "github_repos_delete_release",
		"list workflow runs":      "github_actions_list_workflow_runs_for_repo",
		"add a label to an issue": "github_issues_add_labels", "fork a repository": "github_repos_create_fork",
		"get a repository": "github_repos_get", "upload a release asset": "github_repos_upload_release_asset",
		"github_gists_create": "github_gists_create", "list my notifications": "github_activity_list_notifications_for_authenticated_user",
	} {
		e := system.One(t, d, "acme", fmt.Sprintf(`{"tool": "search_tools", "arguments": {"query": %q}}`, query))
		var found struct{ Tools []struct{ Name string } }
		if err := json.Unmarshal(e.Result, &found); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range found.Tools[:min(len(found.Tools), 10)] {
			names = append(names, f.Name)
		}
		if !slices.Contains(names, want) {
			t.Errorf("search_tools %q finds %q, want %s among them", query, names, want)
		}
	}
	if r := d.Ask(t, "acme", "services.set", map[string]string{"service": "gh", "label": "default"},
		fmt.Sprintf(`{"type": "http", "fields": {"base_url": %q, "api_key": "canary"}}`, api.URL)); r.Status != 200 {
		t.Fatalf("services.set = %d %s", r.Status, r.Body)
	}
	system.Eventually(t, "an operation is called", func() bool {
		e := system.UseTool(t, d, "acme", "use_tool",
			`{"tool_name": "github_issues_list_for_repo", "arguments": {"owner": "o", "repo": "r", "state": "open", "per_page": 5}}`)
		return e.Status == "success" && path == "/repos/o/r/issues?state=open&per_page=5" && auth == "Bearer canary" &&
			!strings.Contains(string(e.Result)+e.Text, "canary")
	})
}
