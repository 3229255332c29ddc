package dynamictools

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestListCustomTools(t *testing.T) {
	t.Parallel()
	call := office(t)
	holds := func(n int) func(t *testing.T, res tool.Result) {
		return func(t *testing.T, res tool.Result) {
			t.Helper()
			if len(member(t, res, "tools").([]any)) != n || member(t, res, "count") != float64(n) ||
				member(t, res, "stats").(map[string]any)["total"] != 1.0 {
				t.Errorf("result %s, want %d of 1", res.Value, n)
			}
		}
	}
	tooltest.Run(t, Set, "list_custom_tools", call, []tooltest.Case{
		{Name: "all", Check: holds(1)},
		{Name: "active", Args: `{"status":"active"}`, Check: holds(1)},
		{Name: "disabled", Args: `{"status":"disabled"}`, Check: holds(0)},
		{Name: "pending", Args: `{"status":"pending_approval"}`, Check: holds(0)},
		{Name: "its category", Args: `{"category":"Sums"}`, Check: holds(1)},
		{Name: "its category in small letters", Args: `{"category":"sums"}`, Check: holds(1)},
		{Name: "another category", Args: `{"category":"Words"}`, Check: holds(0)},
		{Name: "no state", Args: `{"status":"odd"}`, Fails: tool.ValidationError},
	})
	call.Tenant = "other"
	tooltest.Run(t, Set, "list_custom_tools", call, []tooltest.Case{{
		Name: "another tenant",
		Want: `{"message":"0 custom tools.","tools":[],"stats":{"total":0,"active":0,"pendingApproval":0},"total":0,"count":0,"truncated":false}`,
	}})
	if _, err := call.CustomTools.Create(t.Context(), &call, tool.CustomTool{
		Name:        "plain",
		Description: "Nothing.",
		Parameters:  []byte(`{"type":"object"}`),
		Code:        "return 1",
	}); err != nil {
		t.Fatal(err)
	}
	tooltest.Run(t, Set, "list_custom_tools", call, []tooltest.Case{
		{Name: "without a category", Args: `{"category":"custom"}`, Check: func(t *testing.T, res tool.Result) {
			if got := member(t, res, "tools").([]any); len(got) != 1 || got[0].(map[string]any)["category"] != "Custom" ||
				member(t, res, "message") != "1 custom tool." {
				t.Errorf("result %s", res.Value)
			}
		}},
	})
}
