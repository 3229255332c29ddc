package catalog

import (
	"fmt"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// manyTools is a catalogue of 10,000 tools with descriptions as those of an API.
func manyTools(tb testing.TB) *Tenants {
	tb.Helper()
	verbs := []string{"get", "list", "create", "update", "delete", "remove", "add", "check", "set", "download"}
	nouns := []string{
		"repository", "issue", "label", "milestone", "branch", "release", "team", "secret", "runner", "workflow", "commit", "comment",
		"deployment", "package", "webhook", "gist",
	}
	var defs []tool.Definition
	for i := range 10_000 {
		verb, noun, of := verbs[i%len(verbs)], nouns[i/len(verbs)%len(nouns)], nouns[i/160%len(nouns)]
		defs = append(defs, tool.Definition{
			Name: fmt.Sprintf("api%d_%ss_%s_%s_for_%s", i/2560, of, verb, noun, of), Category: "OpenAPI", Group: "openapi_api",
			Tags: []string{"api", "api", of + "s"}, Pool: "default", Kind: tool.KindOpenAPI, Enabled: true,
			Description: fmt.Sprintf(
				"%s a %s of a %s\nReturns the %[2]s with everything that was set on it, and the time at which somebody last changed it. "+
					"To use this endpoint, the authenticated user must have access to the %[3]s, and the token needs the scope %[2]s:write. "+
					"For more information, see \"Working with a %[2]s\" number %[4]d.\n(GET /%[3]ss/{owner}/%[2]ss/{number} of the API api)",
				verb, noun, of, i,
			),
		})
		defs[i].Name = fmt.Sprintf("%s_%d", defs[i].Name, i)
	}
	cat := New()
	if err := cat.Put(defs...); err != nil {
		tb.Fatal(err)
	}
	return NewTenants(cat)
}

// BenchmarkSearch measures one search over 10,000 tools, once the index is there.
func BenchmarkSearch(b *testing.B) {
	view := manyTools(b).Of("default", "ann")
	for name, query := range map[string]string{
		"words":      "create issue label",
		"no word":    "zzzz",
		"plain":      "please rename the milestone of my repository",
		"misspelled": "cretae a new relaese with notes",
		"everything": "api",
		"name":       "api0_issues_create_label_for_issue_102",
		"long": "I would like to find out who commented on the deployment of the package that my team released yesterday evening, " +
			"and remove it if it is wrong",
	} {
		b.Run(name, func(b *testing.B) {
			view.Search(nil, "", tool.Search{Query: query, Limit: 10})
			for b.Loop() {
				view.Search(nil, "", tool.Search{Query: query, Limit: 10})
			}
		})
	}
}

// BenchmarkIndex measures making the index, which the first search after a change does.
func BenchmarkIndex(b *testing.B) {
	all := manyTools(b).Shared.All()
	for b.Loop() {
		newIndex(all)
	}
}
