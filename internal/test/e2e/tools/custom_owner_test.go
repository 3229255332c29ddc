package tools

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/e2e/system/mcpclient"
	"github.com/helve-dev/helve/protocol"
)

// keyDoor sends requests as one person with a key of their own.
type keyDoor struct {
	system.HTTPDoor

	key string
}

func (d keyDoor) Ask(t testing.TB, _, operation string, params map[string]string, body string) system.Reply {
	t.Helper()
	r := system.Routes[operation]
	path, query := r.Path, []string{}
	for name, value := range params {
		if in := strings.Replace(path, "{"+name+"}", value, 1); in != path {
			path = in
		} else {
			query = append(query, name+"="+value)
		}
	}
	return d.Send(t, r.Method, path+"?"+strings.Join(query, "&"), body, http.Header{"Authorization": {"Bearer " + d.key}})
}

// personsWith starts a system in which each person has a key with a role, and returns a
// door for each.
func personsWith(t *testing.T, roles map[string]string) (*system.System, map[string]keyDoor) {
	t.Helper()
	var entries []identity.Entry
	for user, role := range roles {
		entries = append(entries, identity.Entry{User: user, Roles: []string{role}})
	}
	file, keys := system.KeysFile(t, entries...)
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.Auth.KeysFile = file }})
	doors := map[string]keyDoor{}
	for i, e := range entries {
		doors[e.User] = keyDoor{s.HTTP(0), keys[i]}
	}
	return s, doors
}

// agreed makes a call that needs consent, grants it, and returns the outcome.
func agreed(t testing.TB, caller, decides system.Door, call string) system.Element {
	t.Helper()
	e := system.ExecuteDefault(t, caller, call)
	if e.State != "awaiting_consent" {
		t.Fatalf("%s was answered %v, want one that awaits consent", call, e)
	}
	if r := system.Decide(t, decides, "default", e.ConsentID, `{"decision": "grant"}`); r.Status != 200 {
		t.Fatalf("grant = %d %s", r.Status, r.Body)
	}
	return system.Settled(t, caller, "default", e.CallID)
}

func updateReader(code string) string {
	return fmt.Sprintf(`{"tool": "update_custom_tool", "arguments": {"name": "reader", "code": %q}}`, code)
}

// TestCustomToolBelongsToAPerson: a tool of one person is unknown to others through every
// operation, until an approver shares a version of it.
func TestCustomToolBelongsToAPerson(t *testing.T) {
	t.Parallel()
	s, as := personsWith(t, map[string]string{"ann": "user", "bob": "user", "kim": "approver", "root": "admin"})
	ann, bob, kim, root := as["ann"], as["bob"], as["kim"], as["root"]
	reader := system.CustomTool{
		Name:        "reader",
		Description: "Reads zebras.",
		Permissions: []string{"filesystem"},
		Code:        `fs.writeFile("v1.txt", context.userId); return "v1 of " + context.userId`,
	}
	const call = `{"tool": "reader"}`
	if e := agreed(t, ann, ann, reader.CreateCall(t)); e.Status != "success" {
		t.Fatalf("create_tool = %v", e)
	}
	system.Eventually(t, "ann's tool is known", func() bool { return system.ExecuteDefault(t, ann, call).ErrorType != "tool_not_found" })
	system.WantResult(t, system.ExecuteDefault(t, ann, call), `"v1 of ann"`)
	hidden(t, s, as)

	// Sharing needs an approver, for every caller and every door.
	e := system.ExecuteDefault(t, ann, `{"tool": "share_custom_tool", "arguments": {"name": "reader"}}`)
	if r := system.Decide(t, ann, "default", e.ConsentID, `{"decision": "grant"}`); e.State != "awaiting_consent" || r.Status != 403 {
		t.Fatalf("share_custom_tool was answered %v, and ann granted it with %d %s", e, r.Status, r.Body)
	}
	for user, d := range map[string]system.Door{"ann": ann, "bob": bob} {
		if r := d.Ask(t, "default", "custom.share", map[string]string{"name": "reader"}, `{}`); r.Status != 403 {
			t.Errorf("%s shares it by the operation: %d %s", user, r.Status, r.Body)
		}
	}
	trace := system.NewTrace()
	minted := ann.Ask(t, "default", "tokens.mint", nil, fmt.Sprintf(`{"trace_id": %q, "tools": ["share_custom_tool"]}`, trace))
	token := system.Decode[struct {
		Token string `json:"token"`
	}](t, minted).Token
	planned := system.Execute(t, ann, "default",
		fmt.Sprintf(`{"trace_id": %q, "calls": [{"tool": "share_custom_tool", "confirm_token": %q, "arguments": {"name": "reader"}}]}`,
			trace, token)).Results[0]
	system.WantError(t, planned, "permission_denied", "approver")
	shown := system.Decode[struct {
		Preview  string `json:"preview"`
		Approver bool   `json:"approver_only"`
	}](t, kim.Ask(t, "default", "consent.get", map[string]string{"consent_id": e.ConsentID}, ""))
	if !shown.Approver || !strings.Contains(shown.Preview, `v1 of `) || !strings.Contains(shown.Preview, "filesystem") {
		t.Errorf("the approver sees %+v, want the code and what it may do", shown)
	}
	if r := system.Decide(t, kim, "default", e.ConsentID, `{"decision": "grant"}`); r.Status != 200 {
		t.Fatalf("the approver's grant = %d %s", r.Status, r.Body)
	}
	system.WantResult(t, system.Settled(t, ann, "default", e.CallID),
		`{"message":"Everybody of the tenant has version 1 of 'reader' now.","name":"reader","version":1}`)

	// Bob is asked once, for this version, and it works on his own files.
	system.Eventually(t, "bob sees it", func() bool { return system.ExecuteDefault(t, bob, call).ErrorType != "tool_not_found" })
	system.WantResult(t, agreed(t, bob, bob, call), `"v1 of bob"`)
	system.WantResult(t, system.ExecuteDefault(t, bob, call), `"v1 of bob"`)
	for tool, args := range map[string]string{
		"toggle_custom_tool": `{"name": "reader", "enabled": false}`,
		"delete_custom_tool": `{"name": "reader"}`,
		"update_custom_tool": `{"name": "reader", "code": "return 1"}`,
	} {
		system.WantError(t, system.ExecuteDefault(t, bob, fmt.Sprintf(`{"tool": %q, "arguments": %s}`, tool, args)), "permission_denied", "ann")
	}
	for operation, body := range map[string]string{"custom.toggle": `{"enabled": false}`, "custom.delete": "", "custom.unshare": ""} {
		if r := bob.Ask(t, "default", operation, map[string]string{"name": "reader"}, body); r.Status != 404 {
			t.Errorf("bob asks for %s: %d %s", operation, r.Status, r.Body)
		}
	}

	// Ann's later changes apply only to her, until they are shared, and then consent is
	// requested again.
	if e := agreed(t, ann, ann, updateReader(`return "v2 of " + context.userId`)); e.Status != "success" {
		t.Fatalf("update_custom_tool = %v", e)
	}
	system.Eventually(t, "ann has version 2", func() bool { return string(system.ExecuteDefault(t, ann, call).Result) == `"v2 of ann"` })
	system.WantResult(t, system.ExecuteDefault(t, bob, call), `"v1 of bob"`)
	versionsSeen(t, ann, bob, kim)
	if r := root.Ask(t, "default", "custom.share", map[string]string{"name": "reader"}, `{"owner": "ann"}`); r.Status != 400 {
		t.Errorf("a version that nobody named is shared: %d %s", r.Status, r.Body)
	}
	if r := root.Ask(t, "default", "custom.share", map[string]string{"name": "reader"}, `{"owner": "ann", "version": 1}`); r.Status != 409 {
		t.Errorf("version 1 is shared when 2 is current: %d %s", r.Status, r.Body)
	}
	if r := root.Ask(t, "default", "custom.share", map[string]string{"name": "reader"}, `{"owner": "ann", "version": 2}`); r.Status != 200 {
		t.Fatalf("an admin shares version 2: %d %s", r.Status, r.Body)
	}
	system.Eventually(t, "bob is asked again", func() bool { return system.ExecuteDefault(t, bob, call).State == "awaiting_consent" })
	system.WantResult(t, agreed(t, bob, bob, `{"tool": "reader", "arguments": {"url": "x"}}`), `"v2 of bob"`)
	if r := kim.Ask(t, "default", "custom.unshare", map[string]string{"name": "reader", "user": "kim"}, ""); r.Status != 200 {
		t.Fatalf("an approver takes it back: %d %s", r.Status, r.Body)
	}
	system.Eventually(t, "bob has it no longer", func() bool { return system.ExecuteDefault(t, bob, call).ErrorType == "tool_not_found" })
	system.WantResult(t, system.ExecuteDefault(t, ann, call), `"v2 of ann"`)
	if r := root.Ask(t, "default", "custom.delete", map[string]string{"name": "reader"}, ""); r.Status != 200 {
		t.Fatalf("an admin deletes it: %d %s", r.Status, r.Body)
	}
	if r := ann.Ask(t, "default", "custom.versions", map[string]string{"name": "reader"}, ""); r.Status != 404 {
		t.Errorf("the versions of a deleted tool are %d %s", r.Status, r.Body)
	}
	for user, d := range map[string]system.Door{"ann": ann, "bob": bob} {
		system.Eventually(t, user+" has it no longer", func() bool { return system.ExecuteDefault(t, d, call).ErrorType == "tool_not_found" })
	}
}

// versionsSeen checks who sees which versions of ann's tool reader: version 1 is shared, and
// version 2 is hers.
func versionsSeen(t *testing.T, ann, bob, kim keyDoor) {
	t.Helper()
	for _, see := range []struct {
		who    string
		d      keyDoor
		params map[string]string
		want   string
	}{
		{"ann", ann, map[string]string{"name": "reader"}, "2 false, 1 true, "},
		{"bob", bob, map[string]string{"name": "reader"}, "1 true, "},
		{"kim", kim, map[string]string{"name": "reader", "owner": "ann"}, "2 false, 1 true, "},
	} {
		r, got := see.d.Ask(t, "default", "custom.versions", see.params, ""), ""
		for _, v := range system.Decode[protocol.CustomToolVersions](t, r).Versions {
			got += fmt.Sprintf("%d %v, ", v.Version, v.Shared)
		}
		if got != see.want {
			t.Errorf("%s sees the versions %q, want %q: %s", see.who, got, see.want, r.Body)
		}
	}
	for version, want := range map[string]string{"1": "v1 of", "2": "v2 of"} {
		if r := ann.Ask(t, "default", "custom.get", map[string]string{"name": "reader", "version": version}, ""); r.Status != 200 ||
			!strings.Contains(string(r.Body), want) {
			t.Errorf("version %s of ann is %d %s", version, r.Status, r.Body)
		}
	}
	if r := bob.Ask(t, "default", "custom.get", map[string]string{"name": "reader", "version": "2"}, ""); r.Status != 404 {
		t.Errorf("bob gets the version that is not shared: %d %s", r.Status, r.Body)
	}
	if r := bob.Ask(t, "default", "custom.versions", map[string]string{"name": "reader", "owner": "ann"}, ""); r.Status != 403 {
		t.Errorf("bob asks as ann: %d %s", r.Status, r.Body)
	}
}

// hidden checks that only ann finds her tool reader, through every operation.
func hidden(t *testing.T, s *system.System, as map[string]keyDoor) {
	t.Helper()
	for _, user := range []string{"bob", "kim", "root"} {
		d := as[user]
		for what, call := range map[string]string{
			"its name": `{"tool": "reader"}`, "use_tool": `{"tool": "use_tool", "arguments": {"tool_name": "reader", "arguments": {}}}`,
			"help":      `{"tool": "get_tool_help", "arguments": {"tool_name": "reader"}}`,
			"its code":  `{"tool": "get_custom_tool", "arguments": {"name": "reader"}}`,
			"a change":  `{"tool": "toggle_custom_tool", "arguments": {"name": "reader", "enabled": false}}`,
			"a sharing": `{"tool": "share_custom_tool", "arguments": {"name": "reader"}}`,
		} {
			e := system.ExecuteDefault(t, d, call)
			system.WantError(t, e, "tool_not_found", "")
			if strings.Contains(e.Message, "zebra") {
				t.Errorf("%s reads by %s: %s", user, what, e.Message)
			}
		}
		for _, call := range []string{
			`{"tool": "batch_use_tool", "arguments": {"calls": [{"tool_name": "reader"}]}}`,
			`{"tool": "search_tools", "arguments": {"query": "zebras"}}`,
			`{"tool": "search_tools", "arguments": {"query": "all", "include_params": true}}`,
			`{"tool": "list_custom_tools"}`, `{"tool": "list_tool_groups"}`,
		} {
			if e := system.ExecuteDefault(t, d, call); strings.Contains(string(e.Result), "v1 of") ||
				strings.Contains(string(e.Result), "zebras.") || strings.Contains(string(e.Result), `"reader"`) && !strings.Contains(call, "batch") {
				t.Errorf("%s finds it by %s: %s", user, call, e.Result)
			}
		}
		for _, format := range []string{"native", "openai", "openai_responses", "anthropic", "gemini", "mcp"} {
			if r := d.Ask(t, "default", "tools.list", map[string]string{"format": format}, ""); r.Status != 200 ||
				strings.Contains(string(r.Body), "zebra") {
				t.Errorf("%s sees it in the list for %s", user, format)
			}
		}
		for operation, want := range map[string]int{"tools.get": 404, "groups.list": 200} {
			if r := d.Ask(t, "default", operation, map[string]string{"name": "reader"}, ""); r.Status != want ||
				strings.Contains(string(r.Body), `"reader"`) {
				t.Errorf("%s asks for %s: %d %.300s", user, operation, r.Status, r.Body)
			}
		}
		for _, foreign := range []map[string]string{{"user": "ann"}, {"name": "reader", "user": "ann"}} {
			operation := map[bool]string{true: "tools.get", false: "tools.list"}[foreign["name"] != ""]
			if r := d.Ask(t, "default", operation, foreign, ""); r.Status != 403 {
				t.Errorf("%s asks for %s as ann: %d", user, operation, r.Status)
			}
		}
		message := `{"format": "openai", "message": {"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": {"name": "reader", "arguments": "{}"}}]}}`
		system.WantError(t, system.Execute(t, d, "default", message).Results[0], "tool_not_found", "")
		client := mcpclient.Connect(t, s, mcpclient.Versions[0], map[string]string{"Authorization": "Bearer " + d.key},
			(&mcpclient.Person{}).Options())
		list, err := client.ListTools(system.Context(t), nil)
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := json.Marshal(list); strings.Contains(string(text), "zebra") {
			t.Errorf("%s sees it over MCP", user)
		}
	}
	if r := as["bob"].Ask(t, "default", "custom.list", nil, ""); r.Status != 200 || strings.Contains(string(r.Body), "reader") {
		t.Errorf("custom.list shows bob %s", r.Body)
	}
	if r := as["ann"].Ask(t, "default", "tools.list", map[string]string{"q": "zebras"}, ""); !strings.Contains(string(r.Body), "reader") {
		t.Errorf("ann does not find her own: %.200s", r.Body)
	}
}
