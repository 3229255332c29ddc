package personaldata

import (
	"strings"
	"testing"
)

// TestChecked: a file cannot store what no tool stores, and a task of a file runs only after it
// was switched on.
func TestChecked(t *testing.T) {
	t.Parallel()
	task := `{"name":"t","schedule":"every hour","timezone":"UTC","type":"tool","toolName":"send_email","priority":"normal","enabled":true,"missedRuns":"skip","agent":"root","anchor":"2026-01-01T00:00:00Z","nextRun":"2026-01-01T01:00:00Z"}`
	for name, tt := range map[string]struct{ collection, doc, want string }{
		"a page":              {"bookmarks", `{"url":"https://a.example/","title":"A"}`, ""},
		"code":                {"bookmarks", `{"url":"JavaScript:alert(1)","title":"A"}`, "which is code"},
		"data":                {"bookmarks", `{"url":"data:text/html,x","title":"A"}`, "which is code"},
		"no address":          {"bookmarks", `{"title":"A"}`, "url"},
		"no bookmark":         {"bookmarks", `{"url":7}`, "none that was exported"},
		"a task":              {"scheduled_tasks", task, ""},
		"a task of no kind":   {"scheduled_tasks", strings.Replace(task, `"type":"tool"`, `"type":"shell"`, 1), "neither"},
		"a task without tool": {"scheduled_tasks", strings.Replace(task, "send_email", "a b", 1), "names no tool"},
		"anything else":       {"notes", `{"title":"n"}`, ""},
	} {
		i := item(tt.collection, "i1", tt.doc)
		err := checked(i)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
		if doc := string(i.Doc); strings.Contains(doc, `"enabled":true`) && err == nil || strings.Contains(doc, "nextRun") && err == nil {
			t.Errorf("%s: it is switched on: %s", name, doc)
		}
	}
}
