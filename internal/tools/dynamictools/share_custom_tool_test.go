package dynamictools

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestShareCustomTool(t *testing.T) {
	t.Parallel()
	ann := office(t)
	ann.About = aboutOf(t, ann, "adder")
	bob := ann
	bob.User = "bob"
	tooltest.Run(t, Set, "share_custom_tool", bob, []tooltest.Case{
		{Name: "not theirs", Args: `{"name":"adder"}`, Fails: tool.ToolNotFound},
	})
	tooltest.Run(t, Set, "share_custom_tool", ann, []tooltest.Case{
		{Name: "nobody", Args: `{"name":"nobody"}`, Fails: tool.ToolNotFound},
		{
			Name: "the current version",
			Args: `{"name":"adder"}`,
			Want: `{"message":"Everybody of the tenant has version 1 of 'adder' now.","name":"adder","version":1}`,
		},
		{
			Name: "again",
			Args: `{"name":"adder"}`,
			Want: `{"message":"Everybody of the tenant has version 1 of 'adder' now.","name":"adder","version":1}`,
		},
	})
	for name, args := range map[string]string{
		"share_custom_tool": `{"name":"adder"}`, "update_custom_tool": `{"name":"adder","code":"return 2"}`,
		"delete_custom_tool": `{"name":"adder"}`,
		"toggle_custom_tool": `{"name":"adder","enabled":false}`,
	} {
		tooltest.Run(t, Set, name, bob, []tooltest.Case{{Name: "shared with bob", Args: args, Fails: tool.PermissionDenied, Message: "u1"}})
	}
	tooltest.Run(t, Set, "get_custom_tool", bob,
		[]tooltest.Case{{Name: "shared with bob", Args: `{"name":"adder"}`, Check: func(t *testing.T, res tool.Result) {
			if member(t, res, "shared") != true || member(t, res, "owner") != "u1" || member(t, res, "code") != "return 1" {
				t.Errorf("bob reads %s", res.Value)
			}
		}}})
}

// TestShareShowsTheCode: an approver sees everything that will be shared, and approves
// exactly that version.
func TestShareShowsTheCode(t *testing.T) {
	t.Parallel()
	call := office(t)
	for _, tl := range Set.Tools() {
		if tl.Name != "share_custom_tool" {
			continue
		}
		if !tl.ApproverOnly || !tl.RequiresConfirmation {
			t.Error("it needs no approver")
		}
		inv, err := tl.Bind(json.RawMessage(`{"name":"adder"}`))
		if err == nil {
			err = inv.Check(t.Context(), &call)
		}
		if err != nil {
			t.Fatal(err)
		}
		if shown := string(call.Shown); !strings.Contains(shown, `"code":"return 1"`) || !strings.Contains(shown, `"version":1`) ||
			!strings.Contains(shown, `"network"`) || call.About != aboutOf(t, call, "adder") {
			t.Errorf("the approver sees %s of %s", shown, call.About)
		}
	}
}

func aboutOf(t *testing.T, call tool.Call, name string) string {
	t.Helper()
	one, err := call.CustomTools.Get(t.Context(), &call, name)
	if err != nil {
		t.Fatal(err)
	}
	return version(&one)
}
