package dynamictools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// fewTools is a catalogue of a few tools, searched by a word in the name.
type fewTools []*tool.Definition

func (s fewTools) Search(_ context.Context, q tool.Search) (tool.Found, error) {
	found := tool.Found{Near: q.Query == "near"}
	for _, def := range s {
		if (q.Category == "" || q.Category == def.Category) && (q.Query == "" || q.Query == "near" || strings.Contains(def.Name, q.Query)) {
			found.Tools = append(found.Tools, def)
		}
	}
	found.Total = len(found.Tools)
	found.Tools = found.Tools[min(q.Offset, found.Total):]
	found.Tools = found.Tools[:min(q.Limit, len(found.Tools))]
	return found, nil
}

func (s fewTools) Lookup(name string) (*tool.Definition, bool) {
	i := slices.IndexFunc(s, func(def *tool.Definition) bool { return def.Name == name })
	if i < 0 {
		return nil, false
	}
	return s[i], true
}

func (s fewTools) Near(name string, _ int) []string {
	if name == "strange" {
		return []string{}
	}
	return []string{s[0].Name}
}

func (fewTools) Groups() []tool.GroupState {
	return []tool.GroupState{
		{Name: "email", Title: "Email", Enabled: false, DependsOn: []string{}, Tools: []string{}},
		{Name: "notes", Title: "Notes", Enabled: true, Default: true, DependsOn: []string{}, Tools: []string{"add_note"}},
	}
}

func stocked() fewTools {
	return fewTools{
		{
			Name: "add_note", Description: "Keep a note.", Category: "Notes", Risk: tool.Low,
			Parameters: json.RawMessage(
				`{"type":"object","required":["title"],"properties":{"title":{"type":"string","description":"Its title."}}}`,
			),
			Errors: []tool.Kind{tool.NotConfigured}, Example: json.RawMessage(`{"title":"x"}`),
		},
		{Name: "list_notes", Description: "List notes.", Category: "Notes", Risk: tool.Low, Parameters: json.RawMessage(`{"type":"object"}`)},
		{
			Name:                 "send_email",
			Description:          "Send a mail.",
			Category:             "Email",
			Risk:                 tool.Medium,
			RequiresConfirmation: true,
			Parameters:           json.RawMessage(`{"type":"object"}`),
		},
	}
}

func TestSearchTools(t *testing.T) {
	const note, mail = `{"name":"add_note","description":"Keep a note.","category":"Notes"`,
		`{"name":"send_email","description":"Send a mail.","category":"Email"}`
	const params = `,"parameters":{"type":"object","required":["title"],"properties":{"title":{"type":"string","description":"Its title."}}}}`
	tooltest.Run(t, Set, "search_tools", tool.Call{Catalogue: stocked()}, []tooltest.Case{
		{
			Name: "with parameters", Args: `{"query":"add"}`,
			Want: `{"message":"1 tool.","query":"add","tools":[` + note + params +
				`],"total":1,"count":1,"offset":0,"truncated":false,"near":false}`,
		},
		{
			Name: "without", Args: `{"query":"add","include_params":false}`,
			Want: `{"message":"1 tool.","query":"add","tools":[` + note + `}],"total":1,"count":1,"offset":0,"truncated":false,"near":false}`,
		},
		{
			Name: "all in a category", Args: `{"query":"ALL","category":"Email"}`,
			Want: `{"message":"1 tool in category 'Email'.","query":"ALL","tools":[` + mail +
				`],"total":1,"count":1,"offset":0,"truncated":false,"near":false}`,
		},
		{
			Name: "a page", Args: `{"query":"all","limit":0,"offset":2}`,
			Want: `{"message":"1 tool.","query":"all","tools":[` + mail + `],"total":3,"count":1,"offset":2,"truncated":false,"near":false}`,
		},
		{
			Name: "all with parameters", Args: `{"query":"*","category":"Notes","limit":1,"include_params":true}`,
			Want: `{"message":"1 of 2 tools in category 'Notes'; offset 1 continues.","query":"*","tools":[` + note + params +
				`],"total":2,"count":1,"offset":0,"truncated":true,"near":false}`,
		},
		{
			Name:  "no such category",
			Args:  `{"query":"add","category":"nope"}`,
			Check: said("There is no category 'nope'; give one of Email, Notes, or none."),
		},
		{
			Name:  "nothing in a category",
			Args:  `{"query":"add","category":"Email"}`,
			Check: said("No tool matches 'add' in category 'Email'; try other words, or 'all' for every tool."),
		},
		{
			Name:  "the nearest",
			Args:  `{"query":"near","category":"Email"}`,
			Check: said("No tool matches every word of 'near' in category 'Email'; this one is the nearest."),
		},
		{Name: "cut", Args: `{"query":"all","limit":1.9}`, Check: said("1 of 3 tools; offset 1 continues.")},
		{Name: "past the end", Args: `{"query":"all","offset":9}`, Check: said("There are 3 tools, none after the first 9.")},
		{Name: "near", Args: `{"query":"near"}`, Check: said("No tool matches every word of 'near'; these are the nearest.")},
		{Name: "nothing", Args: `{"query":"zzz"}`, Check: said("No tool matches 'zzz'; names like it are add_note.")},
		{Name: "no query", Args: `{}`, Fails: tool.ValidationError, Message: "query"},
		{Name: "before the beginning", Args: `{"query":"a","offset":-1}`, Fails: tool.ValidationError, Message: "offset"},
		{Name: "too long", Args: `{"query":"` + strings.Repeat("a", 501) + `"}`, Fails: tool.ValidationError, Message: "query"},
	})
}

// TestSearchLimits: the stated numbers of all tools and of matches are right.
func TestSearchLimits(t *testing.T) {
	var crowd fewTools
	for i := range 300 {
		crowd = append(crowd, &tool.Definition{Name: fmt.Sprintf("tool_%d", i), Parameters: json.RawMessage(`{"type":"object"}`)})
	}
	var cases []tooltest.Case
	for args, want := range map[string]int{
		`{"query":"all"}`: 300, `{"query":"all","limit":150}`: 150, `{"query":"*","limit":1e300}`: 300, `{"query":"all","limit":-1}`: 1,
		`{"query":"tool"}`: 20, `{"query":"tool","limit":150}`: 100,
	} {
		cases = append(cases, tooltest.Case{Name: args, Args: args, Check: func(t *testing.T, res tool.Result) {
			var got searchResult
			if err := json.Unmarshal(res.Value, &got); err != nil || len(got.Tools) != want || got.Count != want || got.Total != 300 {
				t.Errorf("%d tools, count %d, total %d, %v, want %d of 300", len(got.Tools), got.Count, got.Total, err, want)
			}
		}})
	}
	tooltest.Run(t, Set, "search_tools", tool.Call{Catalogue: crowd}, cases)
}

func said(message string) func(*testing.T, tool.Result) {
	return func(t *testing.T, res tool.Result) {
		t.Helper()
		var got struct{ Message string }
		if err := json.Unmarshal(res.Value, &got); err != nil || got.Message != message {
			t.Errorf("message %q, %v, want %q", got.Message, err, message)
		}
	}
}

func TestGetToolHelp(t *testing.T) {
	tooltest.Run(t, Set, "get_tool_help", tool.Call{Catalogue: stocked()}, []tooltest.Case{
		{
			Name: "one", Args: `{"tool_name":"add_note"}`,
			Want: `{"tools":[{"name":"add_note","description":"Keep a note.","category":"Notes","risk":"low","requires_confirmation":false,
				"parameters":{"type":"object","required":["title"],"properties":{"title":{"type":"string","description":"Its title."}}},
				"required":["title"],"errors":["not_configured"],"example":{"title":"x"}}],"not_found":[],"count":1}`,
			WantText: "add_note: Keep a note.\n- title (string, required): Its title.\nExample: {\"title\":\"x\"}",
		},
		{
			Name: "several, one unknown", Args: `{"tool_names":["list_notes","send_mail"]}`,
			WantText: "list_notes: List notes.\nIt takes no parameters.\n\nThere is no tool 'send_mail'; the nearest are add_note.",
		},
		{
			Name:     "both ways",
			Args:     `{"tool_name":"list_notes","tool_names":["list_notes","","list_notes"]}`,
			WantText: "list_notes: List notes.\nIt takes no parameters.",
		},
		{Name: "unknown", Args: `{"tool_name":"nope"}`, Fails: tool.ToolNotFound, Message: "There is no tool 'nope'; the nearest are add_note."},
		{Name: "like nothing", Args: `{"tool_names":["strange"]}`, Fails: tool.ToolNotFound, Message: "search_tools finds tools"},
		{Name: "none", Args: `{}`, Fails: tool.ValidationError, Message: "Name a tool"},
		{Name: "too many", Args: `{"tool_names":[` + strings.Repeat(`"a",`, 20) + `"b"]}`, Fails: tool.ValidationError, Message: "21 names"},
	})
}

// TestGetToolHelpDeclares: a declaration is added for a caller that asks for it, and for
// each call of the tool set code.
func TestGetToolHelpDeclares(t *testing.T) {
	const declared = `"declaration":"declare namespace tools {\n  /** Keep a note. */\n  function add_note(args: {\n    /** Its title. */\n    ` +
		`title: string;\n  }): Promise<unknown>;\n}\n"`
	const text = "declare namespace tools {\n  /** Keep a note. */\n  function add_note(args: {\n    /** Its title. */\n    title: string;\n  }): " +
		"Promise<unknown>;\n}\n// await tools.add_note({\"title\":\"x\"})"
	help := func(declaration string) string {
		return `{"tools":[{"name":"add_note","description":"Keep a note.","category":"Notes","risk":"low","requires_confirmation":false,
			"parameters":{"type":"object","required":["title"],"properties":{"title":{"type":"string","description":"Its title."}}},
			"required":["title"],"errors":["not_configured"],"example":{"title":"x"}` + declaration + `}],"not_found":[],"count":1}`
	}
	cases := func(toolset string, always bool) {
		t.Run("set "+toolset, func(t *testing.T) {
			without := tooltest.Case{Name: "not asked for", Args: `{"tool_name":"add_note","declaration":false}`, Want: help("")}
			if always {
				without.Want, without.WantText = help(","+declared), text
			}
			tooltest.Run(t, Set, "get_tool_help", tool.Call{Catalogue: stocked(), Toolset: toolset}, []tooltest.Case{
				without, {Name: "asked for", Args: `{"tool_name":"add_note","declaration":true}`, Want: help("," + declared), WantText: text},
			})
		})
	}
	cases("", false)
	cases("search", false)
	cases("code", true)
}

func TestListToolGroups(t *testing.T) {
	const email = `{"name":"email","title":"Email","description":"","enabled":false,"default_enabled":false,"depends_on":[],"tools":[]}`
	const notes = `{"name":"notes","title":"Notes","description":"","enabled":true,"default_enabled":true,"depends_on":[],"tools":["add_note"]}`
	tooltest.Run(t, Set, "list_tool_groups", tool.Call{Catalogue: stocked()}, []tooltest.Case{
		{Name: "all", Args: `{}`, Want: `{"groups":[` + email + `,` + notes + `],"total":2,"count":2,"enabled":1,"tools":1,"truncated":false}`},
		{
			Name: "mine",
			Args: `{"enabled_only":true}`,
			Want: `{"groups":[` + notes + `],"total":2,"count":1,"enabled":1,"tools":1,"truncated":false}`,
		},
		{Name: "type", Args: `{"enabled_only":"yes"}`, Fails: tool.ValidationError, Message: "enabled_only"},
	})
}

// doubles answers each call with its own arguments, and refuses "bad".
type doubles struct{ tool.Tools }

func (doubles) Batch(_ context.Context, calls []tool.InnerCall) []tool.InnerOutcome {
	var all []tool.InnerOutcome
	for _, c := range calls {
		out := tool.InnerOutcome{Result: tool.Result{Value: c.Arguments, Text: "text of " + c.Tool}}
		if string(c.Arguments) == `{"odd":1}` {
			out.Result.Metadata = map[string]any{"ignored": []string{"odd"}, "n": 1}
		}
		if c.Tool == "bad" {
			out = tool.InnerOutcome{Err: tool.Fail(tool.PolicyDenied, "not today").Because(context.Canceled)}
		}
		all = append(all, out)
	}
	return all
}

func TestBatchUseTool(t *testing.T) {
	const two = `{"results":[{"index":0,"tool":"a","status":"success","result":{"n":9007199254740993},"text":"text of a"},
		{"index":1,"tool":"bad","status":"error","error_type":"policy_denied","message":"not today"}],"total":2,"succeeded":1,"failed":1}`
	tooltest.Run(t, Set, "batch_use_tool", tool.Call{Tools: doubles{}}, []tooltest.Case{
		{Name: "calls", Args: `{"calls":[{"tool_name":"a","arguments":{"n":9007199254740993}},{"tool_name":"bad"}]}`, Want: two},
		{Name: "operations", Args: `{"operations":[{"tool":"a","args":{"n":9007199254740993}},{"tool":"bad","args":{}}]}`, Want: two},
		{Name: "none", Args: `{"calls":[]}`, Fails: tool.ValidationError, Message: "calls is empty"},
		{Name: "both", Args: `{"calls":[{"tool_name":"a"}],"operations":[{"tool":"a"}]}`, Fails: tool.ValidationError, Message: "one of the two"},
		{
			Name:    "too many",
			Args:    `{"calls":[` + strings.Repeat(`{"tool_name":"a"},`, 20) + `{"tool_name":"a"}]}`,
			Fails:   tool.ValidationError,
			Message: "21 calls",
		},
		{Name: "no list", Args: `{"calls":{"tool_name":"a"}}`, Fails: tool.ValidationError, Message: "calls: expected array"},
	})
}

// TestBatchItems: a wrong item fails alone, and the others run in their places.
func TestBatchItems(t *testing.T) {
	const ok = `{"index":%d,"tool":"a","status":"success","result":%s,"text":"text of a"%s}`
	const wrong = `{"index":0,"tool":"","status":"error","error_type":"validation_error","message":%q}`
	one := func(item string) string { return `{"results":[` + item + `],"total":1,"succeeded":1,"failed":0}` }
	var cases []tooltest.Case
	for item, want := range map[string]string{
		`null`:                    `expected object, got null; write {"tool_name": …, "arguments": {…}}`,
		`7`:                       `expected object, got number; write {"tool_name": …, "arguments": {…}}`,
		`[{"tool_name":"a"}]`:     `expected object, got array; write {"tool_name": …, "arguments": {…}}`,
		`{}`:                      `missing required parameter 'tool_name'`,
		`{"tool_name":null}`:      `tool_name: expected string, got null`,
		`{"tool_name":true}`:      `tool_name: expected string, got boolean`,
		`{"tool_name":{"a":"b"}}`: `tool_name: expected string, got object`,
		`{"tool_name":""}`:        `tool_name: must have at least 1 character`,
		`{"tool_name":"` + strings.Repeat("é", 65) + `"}`: `tool_name: must have at most 64 characters`,
	} {
		cases = append(cases, tooltest.Case{
			Name: item, Args: `{"calls":[` + item + `,{"tool_name":"a"}]}`,
			Want: `{"results":[` + fmt.Sprintf(wrong, want) + `,` + fmt.Sprintf(ok, 1, "{}", "") + `],"total":2,"succeeded":1,"failed":1}`,
		})
	}
	cases = append(
		cases,
		tooltest.Case{Name: "of operations", Args: `{"operations":[{"args":{}}]}`, Check: func(t *testing.T, res tool.Result) {
			if !strings.Contains(string(res.Value), `missing required parameter 'tool'`) {
				t.Errorf("the item ended as %s", res.Value)
			}
		}},
		tooltest.Case{
			Name: "a string",
			Args: `{"calls":[{"tool_name":"a","arguments":" {\"n\":9007199254740993}"}]}`,
			Want: one(fmt.Sprintf(ok, 0, `{"n":9007199254740993}`, "")),
		},
		tooltest.Case{Name: "left to the call", Args: `{"calls":[{"tool_name":"a","arguments":[1]}]}`, Want: one(fmt.Sprintf(ok, 0, `[1]`, ""))},
		tooltest.Case{
			Name: "unknown",
			Args: `{"calls":[{"tool_name":"a","z":1,"args":{}}]}`,
			Want: one(fmt.Sprintf(ok, 0, `{}`, `,"notes":["'args' is no part of an item and was ignored","'z' is no part of an item and was ignored"],"metadata":{"ignored":["args","z"]}`)),
		},
		tooltest.Case{
			Name: "unknown to both",
			Args: `{"calls":[{"tool_name":"a","z":1,"arguments":{"odd":1}}]}`,
			Want: one(fmt.Sprintf(ok, 0, `{"odd":1}`,
				`,"notes":["'z' is no part of an item and was ignored"],"metadata":{"ignored":["z","odd"],"n":1}`)),
		},
	)
	tooltest.Run(t, Set, "batch_use_tool", tool.Call{Tools: doubles{}}, cases)
}
