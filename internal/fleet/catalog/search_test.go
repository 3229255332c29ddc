package catalog

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// stock is a few tools as people would look for them.
func stock(t *testing.T) View {
	t.Helper()
	one := func(name, category, description, group string, tags ...string) tool.Definition {
		return tool.Definition{Name: name, Category: category, Description: description, Group: group, Tags: tags, Enabled: true}
	}
	return view(filled(t,
		one("send_email", "Email", "Send a message to somebody.", "mailing", "smtp", "notify", "Compose"),
		one("reply_email", "Email", "Answer a message.", "mailing", "respond"),
		one("list_emails", "Email", "Show the inbox.", "mailing", "new task"),
		one("add_task", "Tasks", "Put something on the list.", "tasks", "todo", "reminder", "new task"),
		one("zip_files", "File System", "Pack files; an email can take them then.", "filesystem", "archive"),
		one("search_tools", "Dynamic Tools", "Find tools by email.", "customTools", "find"),
		one("debug.email", "Diagnostics", "An email.", Diagnostics, "x"),
	))
}

func TestSearch(t *testing.T) {
	v := stock(t)
	for _, tt := range []struct {
		query string
		want  []string
		near  bool
	}{
		{"email send", []string{"send_email"}, false},
		{"EMAIL", []string{"send_email", "debug.email", "list_emails", "reply_email", "zip_files"}, false}, // name first, the shorter the better
		{"smtp", []string{"send_email"}, false},
		{"send,email", []string{"send_email"}, false},
		{"Email-Send!", []string{"send_email"}, false},
		{"send_email", []string{"send_email"}, false},
		{"?!", []string{}, false},
		{"compose email", []string{"send_email"}, false},
		{"mail inbox", []string{"list_emails"}, false},
		{"file system", []string{"zip_files"}, false},
		{"", []string{"add_task", "debug.email", "list_emails", "reply_email", "send_email", "zip_files"}, false},
		{"remind me to phone mum", []string{"add_task"}, true},
		{"emial", []string{"debug.email", "list_emails", "reply_email", "send_email", "zip_files"}, true},
		{"archve", []string{"zip_files"}, true},
		{"qqqq", []string{}, false},
		{"the of a", []string{}, false},
		{strings.Repeat("x", 5000), []string{}, false},
	} {
		found := v.Search(nil, "", tool.Search{Query: tt.query, Limit: 10})
		got := toolNames(found.Tools)
		if tt.near && len(got) > len(tt.want) {
			got = got[:len(tt.want)]
		}
		if !cmp.Equal(got, tt.want) && !(tt.near && sameSet(got, tt.want)) || found.Near != tt.near {
			t.Errorf("Search(%q) = %q, near %v, want %q, %v", tt.query, got, found.Near, tt.want, tt.near)
		}
	}
}

func sameSet(a, b []string) bool {
	in := map[string]bool{}
	for _, name := range a {
		in[name] = true
	}
	for _, name := range b {
		if !in[name] {
			return false
		}
	}
	return len(a) == len(b)
}

func TestSearchNarrowed(t *testing.T) {
	v := stock(t)
	for _, tt := range []struct {
		name  string
		agent string
		rules *protocol.AgentRules
		q     tool.Search
		want  []string
		total int
	}{
		{"category", "", nil, tool.Search{Query: "email", Category: "email", Limit: 9}, []string{"send_email", "list_emails", "reply_email"}, 3},
		{"page", "", nil, tool.Search{Query: "email", Limit: 2, Offset: 3}, []string{"reply_email", "zip_files"}, 5},
		{"past the end", "", nil, tool.Search{Query: "email", Limit: 2, Offset: 9}, []string{}, 5},
		{"nonsense", "", nil, tool.Search{Query: "email", Limit: -1, Offset: -5}, []string{}, 5},
		{"an agent", "a", nil, tool.Search{Query: "email", Limit: 9}, []string{"send_email", "list_emails", "reply_email", "zip_files"}, 4},
		{"its record", "a", &protocol.AgentRules{Tools: []string{"zip_*"}}, tool.Search{Query: "email", Limit: 9}, []string{"zip_files"}, 1},
		{"nothing of it", "a", &protocol.AgentRules{Tools: []string{"zip_*"}}, tool.Search{Query: "remind me", Limit: 9}, []string{}, 0},
	} {
		found := v.Search(tt.rules, tt.agent, tt.q)
		if got := toolNames(found.Tools); !cmp.Equal(got, tt.want) || found.Total != tt.total {
			t.Errorf("%s: %q of %d, want %q of %d", tt.name, got, found.Total, tt.want, tt.total)
		}
	}
}

// TestSearchFollowsChanges: what was added is found, what was removed is not, and a
// tenant finds its own.
func TestSearchFollowsChanges(t *testing.T) {
	c := NewTenants(New())
	find := func(tenant string) []string {
		return toolNames(c.Of(tenant, "").Search(nil, "", tool.Search{Query: "lamp", Limit: 9}).Tools)
	}
	if got := find("acme"); len(got) != 0 {
		t.Errorf("found %q in nothing", got)
	}
	if err := c.Put(Custom, "acme", def("lamp_on", "made")); err != nil {
		t.Fatal(err)
	}
	if err := c.Shared.Put(def("lamp_off", "lights")); err != nil {
		t.Fatal(err)
	}
	if got := find("acme"); !cmp.Equal(got, []string{"lamp_on", "lamp_off"}) {
		t.Errorf("acme finds %q", got)
	}
	if got := find("other"); !cmp.Equal(got, []string{"lamp_off"}) {
		t.Errorf("other finds %q", got)
	}
	c.Remove(Custom, "acme", "lamp_on")
	if got := find("acme"); !cmp.Equal(got, []string{"lamp_off"}) {
		t.Errorf("acme still finds %q", got)
	}
}

// TestSearchExact: the tool of the very name comes before others with its words.
func TestSearchExact(t *testing.T) {
	v := view(filled(t, def("file_read", "g"), def("read_file", "g"), def("a.read.file", "g")))
	for query, want := range map[string]string{"read_file": "read_file", "File_Read": "file_read", "a.read.file": "a.read.file"} {
		if got := toolNames(v.Search(nil, "", tool.Search{Query: query, Limit: 9}).Tools); len(got) == 0 || got[0] != want {
			t.Errorf("Search(%s) = %q, want %s first", query, got, want)
		}
	}
}

func TestNear(t *testing.T) {
	v := stock(t)
	for name, want := range map[string]string{
		"send_emial": "send_email", "sendEmail": "send_email", "mail_send": "send_email", "add_tsk": "add_task", "searchtools": "search_tools",
	} {
		if got := v.Near(nil, "", name, 2); len(got) == 0 || got[0] != want {
			t.Errorf("Near(%s) = %q, want %s first", name, got, want)
		}
	}
	if got := v.Near(nil, "a", "debug.emial", 9); cmp.Equal(got, []string{}) || got[0] == "debug.email" {
		t.Errorf("Near shows an agent %q, want only what it has", got)
	}
	for _, name := range []string{"zzzzzz", "zask_zask", "q", ""} { // to a search "zask" is "task"
		if got := v.Near(nil, "", name, 3); got == nil || len(got) != 0 {
			t.Errorf("Near(%s) = %q, want an empty list", name, got)
		}
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		"What's 15% of 80?": {"whats", "15", "of", "80"}, "sendEmail_toAll": {"send", "email", "to", "all"},
		"files.move_glob": {"files", "move", "glob"},
		"HTTPServer":      {"httpserver"}, "Über-groß": {"über", "groß"}, "": nil,
	} {
		if got := words(text); !cmp.Equal(got, want) {
			t.Errorf("words(%q) = %q, want %q", text, got, want)
		}
	}
}

func FuzzSearch(f *testing.F) {
	c := New()
	_ = c.Put(def("send_email", "mailing"), def("add_task", "tasks"))
	v := view(c)
	for _, seed := range []string{"send email", "emial", "15% of 80", "ünïcode ж", "\xff\xfe", "a@b.c https://x"} {
		f.Add(seed, 1, 0)
	}
	f.Fuzz(func(t *testing.T, query string, limit, offset int) {
		if found := v.Search(nil, "", tool.Search{Query: query, Limit: limit, Offset: offset}); len(found.Tools) > max(limit, 0) ||
			found.Total > 2 {
			t.Errorf("Search(%q, %d, %d) = %d of %d", query, limit, offset, len(found.Tools), found.Total)
		}
		v.Near(nil, "", query, 3)
	})
}

// TestSearchSentence: of tools with the same words, a sentence finds the tool whose title
// it is, although others contain each of its words.
func TestSearchSentence(t *testing.T) {
	t.Parallel()
	cat := New()
	for name, description := range map[string]string{
		"repos_get":           "Get a repository\nThe fields depend on the token.",
		"repos_delete":        "Delete a repository\nNobody can get it again.",
		"repos_list_branches": "List branches\nOf what was pushed.",
		"topics_get":          "Get all topics of a repository\nA list for each branch of the repository, which lists branches.",
		"issues_update":       "Update an issue\nIts owners can get it.",
	} {
		if err := cat.Put(tool.Definition{Name: name, Description: description, Tags: []string{"repo"}, Enabled: true}); err != nil {
			t.Fatal(err)
		}
	}
	view := NewTenants(cat).Of("t", "")
	for query, want := range map[string]string{
		"get a repository": "repos_get", "delete the repository": "repos_delete", "list the branches of a repository": "repos_list_branches",
	} {
		found := view.Search(nil, "", tool.Search{Query: query, Limit: 3})
		if len(found.Tools) == 0 || found.Tools[0].Name != want || found.Near {
			t.Errorf("Search(%q) = %v, want %s first", query, toolNames(found.Tools), want)
		}
	}
}
