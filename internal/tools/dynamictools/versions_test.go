package dynamictools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// TestVersions: the last ten versions of a tool are listed, shown and brought back as new ones.
func TestVersions(t *testing.T) {
	t.Parallel()
	call := office(t)
	for n := 2; n <= 12; n++ {
		tooltest.Run(t, Set, "update_custom_tool", call, []tooltest.Case{
			{Name: "change", Args: fmt.Sprintf(`{"name":"adder","code":"return %d"}`, n), Check: made},
		})
	}
	listed := func(t *testing.T, res tool.Result) (numbers string) {
		t.Helper()
		var got getResult
		if err := json.Unmarshal(res.Value, &got); err != nil {
			t.Fatal(err)
		}
		for _, v := range got.Versions {
			numbers += fmt.Sprint(v.Version, " ")
		}
		return numbers
	}
	tooltest.Run(t, Set, "get_custom_tool", call, []tooltest.Case{
		{Name: "ten", Args: `{"name":"adder"}`, Check: func(t *testing.T, res tool.Result) {
			if got := listed(t, res); got != "12 11 10 9 8 7 6 5 4 3 " {
				t.Errorf("the versions are %s", got)
			}
		}},
		{Name: "one", Args: `{"name":"adder","version":3}`, Check: func(t *testing.T, res tool.Result) {
			if member(t, res, "code") != "return 3" || member(t, res, "version") != 3.0 {
				t.Errorf("version 3 is %s", res.Value)
			}
		}},
		{Name: "gone", Args: `{"name":"adder","version":2}`, Fails: tool.ValidationError, Message: "not kept; there are 12, 11"},
	})
	tooltest.Run(t, Set, "update_custom_tool", call, []tooltest.Case{
		{Name: "gone", Args: `{"name":"adder","restore":2}`, Fails: tool.ValidationError, Message: "not kept"},
		{Name: "with more", Args: `{"name":"adder","restore":3,"code":"return 1"}`, Fails: tool.ValidationError, Message: "nothing but name and restore"},
		{Name: "another's", Args: `{"name":"nobody","restore":3}`, Fails: tool.ToolNotFound},
		{Name: "back", Args: `{"name":"adder","restore":3}`, Check: func(t *testing.T, res tool.Result) {
			if member(t, res, "version") != 13.0 {
				t.Errorf("the result is %s", res.Value)
			}
		}},
	})
	if got, err := call.CustomTools.Get(t.Context(), &call, "adder"); err != nil || got.Code != "return 3" || got.Version != 13 || !got.Enabled {
		t.Errorf("the tool is %+v, %v", got, err)
	}
	other := call
	other.User = "u2"
	if _, err := call.CustomTools.Versions(t.Context(), &other, "adder"); err == nil || !strings.Contains(err.Error(), "no custom tool") {
		t.Errorf("the versions of another person's tool: %v", err)
	}
}

// TestDurableTools: what makes a tool durable, and what cannot be combined with it.
func TestDurableTools(t *testing.T) {
	t.Parallel()
	call := office(t)
	create := func(name, more string) string {
		return `{"name":"` + name + `","description":"d","parameters":{"type":"object"},"code":"return 1"` + more + `}`
	}
	tooltest.Run(t, Set, "create_tool", call, []tooltest.Case{
		{Name: "durable", Args: create("one", `,"durable":true,"tools":["read_file","list_*"],"timeout_seconds":86400`), Check: made},
		{Name: "tools alone", Args: create("two", `,"tools":["read_file"]`), Fails: tool.ValidationError, Message: "set durable to true"},
		{Name: "time alone", Args: create("three", `,"timeout_seconds":5`), Fails: tool.ValidationError, Message: "set durable to true"},
		{Name: "permissions", Args: create("four", `,"durable":true,"permissions":["network"]`), Fails: tool.ValidationError, Message: "leave permissions"},
		{Name: "limits", Args: create("five", `,"durable":true,"limits":{"memory_mb":8}`), Fails: tool.ValidationError, Message: "bounds of programs"},
		{Name: "pattern", Args: create("six", `,"durable":true,"tools":["a*b"]`), Fails: tool.ValidationError, Message: "'a*b' is neither"},
	})
	got, err := call.CustomTools.Get(t.Context(), &call, "one")
	if err != nil || !got.Durable || strings.Join(got.Tools, " ") != "read_file list_*" || got.TimeoutSeconds != 86400 {
		t.Errorf("the tool is %+v, %v", got, err)
	}
	tooltest.Run(t, Set, "update_custom_tool", call, []tooltest.Case{
		{Name: "other tools", Args: `{"name":"one","tools":[]}`, Check: made},
		{Name: "no program", Args: `{"name":"one","durable":false}`, Check: made},
	})
	if got, _ := call.CustomTools.Get(t.Context(), &call, "one"); got.Durable || got.Tools != nil || got.TimeoutSeconds != 0 {
		t.Errorf("the tool is %+v", got)
	}
}

func made(t *testing.T, res tool.Result) {
	t.Helper()
	if member(t, res, "status") != active {
		t.Errorf("result %s", res.Value)
	}
}
