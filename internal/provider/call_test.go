package provider

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

// read is a parsed message, for comparison: id, name, arguments, or the problem.
func read(t *testing.T, f Format, message string) (calls []string, failure string) {
	t.Helper()
	list, err := f.Calls(json.RawMessage(message))
	if err != nil {
		return nil, err.Error()
	}
	for _, c := range list {
		what := string(c.Arguments)
		if c.Problem != nil {
			if c.Problem.Kind != tool.ValidationError {
				t.Errorf("%s: the problem has the kind %q, want validation_error", f, c.Problem.Kind)
			}
			what = "! " + c.Problem.Msg
		}
		calls = append(calls, fmt.Sprintf("%s %s %s", c.ID, c.Name, what))
	}
	return calls, ""
}

type callsCase struct {
	name, message string
	want          []string // each call, with the beginning of its problem; nil for none
	err           string   // part of the error
}

func testCalls(t *testing.T, f Format, cases []callsCase) {
	t.Helper()
	for _, tt := range cases {
		got, failure := read(t, f, tt.message)
		if (failure != "") != (tt.err != "") || !strings.Contains(failure, tt.err) {
			t.Errorf("%s: the error is %q, want %q", tt.name, failure, tt.err)
			continue
		}
		if len(got) != len(tt.want) {
			t.Errorf("%s: read %q, want %q", tt.name, got, tt.want)
			continue
		}
		for i := range got {
			if got[i] != tt.want[i] && !(strings.Contains(tt.want[i], " ! ") && strings.HasPrefix(got[i], tt.want[i])) {
				t.Errorf("%s: call %d is %q, want %q", tt.name, i, got[i], tt.want[i])
			}
		}
	}
}

const (
	cut      = "! the arguments end in the middle"
	noName   = "! the call names no tool"
	notText  = "! the call's id must be text"
	tooLong  = "! the call's id has 257 bytes"
	notAFunc = "! the call has no function"
)

// TestEveryFormat holds the formats to what is true of all: how a call is written is
// theirs, what may be wrong with it is not.
func TestEveryFormat(t *testing.T) {
	id256, id257 := strings.Repeat("i", 256), strings.Repeat("i", 257)
	for _, tt := range []struct {
		name           string
		id, tool, args string // JSON, empty for absent
		want           string // %s is the id: call_0, or none where the format can do without
	}{
		{"whole", `"a"`, `"t"`, `{"n":1}`, `a t {"n":1}`},
		{"every digit", `"a"`, `"t"`, `{"n":12345678901234567890.1234567890}`, `a t {"n":12345678901234567890.1234567890}`},
		{"an id with spaces and signs", `" é \ud83d\ude00\t\"x\" "`, `"t"`, `{}`, " é 😀\t\"x\"  t {}"},
		{"the longest id", `"` + id256 + `"`, `"t"`, `{}`, id256 + ` t {}`},
		{"a name nobody has", `"a"`, `"böse <tool>"`, `{}`, `a böse <tool> {}`},
		{"null arguments", `"a"`, `"t"`, `null`, `a t {}`},
		{"no arguments", `"a"`, `"t"`, ``, `a t {}`},
		{"empty arguments", `"a"`, `"t"`, `""`, `a t {}`},
		{"arguments in a string", `"a"`, `"t"`, `"{\"n\": 1}"`, `a t {"n": 1}`},
		{"no id", ``, `"t"`, `{}`, `%s t {}`},
		{"null id", `null`, `"t"`, `{}`, `%s t {}`},
		{"empty id", `""`, `"t"`, `{}`, `%s t {}`},
		{"an id too long", `"` + id257 + `"`, `"t"`, `{}`, `%s t ` + tooLong},
		{"a number as id", `7`, `"t"`, `{}`, `%s t ` + notText},
		{"half a character in the id", `"\ud83d"`, `"t"`, `{}`, `%s t ` + notText},
		{"no name", `"a"`, ``, `{}`, `a  ` + noName},
		{"null name", `"a"`, `null`, `{}`, `a  ` + noName},
		{"empty name", `"a"`, `""`, `{}`, `a  ` + noName},
		{"an object as name", `"a"`, `{"x":1}`, `{}`, `a  ` + noName},
		{"a list as arguments", `"a"`, `"t"`, `[1]`, `a t ! arguments: expected object, got array`},
		{"a number as arguments", `"a"`, `"t"`, `7`, `a t ! arguments: expected object, got number`},
		{"a list in the string", `"a"`, `"t"`, `"[1]"`, `a t ! arguments: expected object, got array`},
		{"prose in the string", `"a"`, `"t"`, `"read it"`, `a t ! arguments: not valid JSON`},
		{"cut off", `"a"`, `"t"`, `"{\"path\": \"no"`, `a t ` + cut},
		{"cut off at once", `"a"`, `"t"`, `"{"`, `a t ` + cut},
		{"more than an object", `"a"`, `"t"`, `"{} {}"`, `a t ! arguments: not valid JSON`},
		{"a key twice", `"a"`, `"t"`, `{"n":1,"n":2}`, `a t ! arguments: duplicate key 'n'`},
		{"half a character", `"a"`, `"t"`, `{"n":"\udc00"}`, `a t ! arguments: not valid JSON`},
		{"a number nobody can hold", `"a"`, `"t"`, `{"n":1e999}`, `a t ! arguments: number has an exponent beyond 400`},
		{
			"too deep", `"a"`, `"t"`, `{"n":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`,
			`a t ! arguments: nested more than 128 levels deep`,
		},
		{"too large", `"a"`, `"t"`, `{"n":"` + strings.Repeat("x", 1<<20) + `"}`, `a t ! arguments: larger than 1 MiB`},
	} {
		for _, f := range Formats()[:4] {
			made := "call_0"
			if f == Gemini {
				made = ""
			}
			want := strings.Replace(tt.want, "%s", made, 1)
			testCalls(t, f, []callsCase{{string(f) + ": " + tt.name, oneCall(f, tt.id, tt.tool, tt.args), []string{want}, ""}})
		}
	}
}

// oneCall is a message of one call, with the parts that are not empty.
func oneCall(f Format, id, name, args string) string {
	object := func(members ...string) string {
		var there []string
		for i := 0; i < len(members); i += 2 {
			if members[i+1] != "" {
				there = append(there, fmt.Sprintf("%q:%s", members[i], members[i+1]))
			}
		}
		return "{" + strings.Join(there, ",") + "}"
	}
	switch f {
	case OpenAI:
		return `{"role":"assistant","content":null,"tool_calls":[` +
			object("id", id, "type", `"function"`, "function", object("name", name, "arguments", args)) + `]}`
	case Responses:
		return `{"object":"response","output":[` +
			object("type", `"function_call"`, "id", `"fc_1"`, "call_id", id, "name", name, "arguments", args) + `]}`
	case Anthropic:
		return `{"role":"assistant","content":[` + object("type", `"tool_use"`, "id", id, "name", name, "input", args) + `]}`
	default:
		return `{"role":"model","parts":[{"functionCall":` + object("id", id, "name", name, "args", args) + `}]}`
	}
}

func TestMadeUpIDs(t *testing.T) {
	const call = `{"id":%s,"function":{"name":"t"}}`
	message := func(ids ...string) string {
		var list []string
		for _, id := range ids {
			list = append(list, fmt.Sprintf(call, id))
		}
		return `{"tool_calls":[` + strings.Join(list, ",") + `]}`
	}
	for _, tt := range []struct {
		ids  []string
		want []string
	}{
		{[]string{`""`, `null`, `"x"`, `7`}, []string{"call_0", "call_1", "x", "call_3"}},
		{[]string{`null`, `"call_0"`}, []string{"call_0_", "call_0"}},
		{[]string{`"call_1"`, `null`, `"call_1_"`}, []string{"call_1", "call_1__", "call_1_"}},
		{[]string{`"twice"`, `"twice"`, `"twice"`}, []string{"twice", "twice", "twice"}},
	} {
		calls, err := OpenAI.Calls(json.RawMessage(message(tt.ids...)))
		var got []string
		for _, c := range calls {
			got = append(got, c.ID)
		}
		if !cmp.Equal(got, tt.want) || err != nil {
			t.Errorf("the ids %v became %q (%v), want %q", tt.ids, got, err, tt.want)
		}
	}
}

func TestBoundOnCalls(t *testing.T) {
	for _, f := range Formats()[:4] {
		one := oneCall(f, `"a"`, `"t"`, "")
		at := strings.LastIndexByte(one, ']')
		from := strings.Index(one, "[") + 1
		many := func(n int) json.RawMessage {
			return json.RawMessage(one[:at] + strings.Repeat(","+one[from:at], n-1) + one[at:])
		}
		for _, n := range []int{200, MaxCalls} {
			calls, err := f.Calls(many(n))
			if len(calls) != n || err != nil {
				t.Errorf("%s: %d calls were read as %d (%v)", f, n, len(calls), err)
			}
		}
		if _, err := f.Calls(many(MaxCalls + 1)); err == nil || !strings.Contains(err.Error(), "at most 1000") {
			t.Errorf("%s: %d calls gave the error %v, want one that names the bound", f, MaxCalls+1, err)
		}
	}
}

func TestNoMessage(t *testing.T) {
	for _, f := range Formats()[:4] {
		testCalls(t, f, []callsCase{
			{"nothing", ``, nil, "the message is not JSON: it is empty"},
			{"white space", " \n", nil, "the message is not JSON: it is empty"},
			{"a text", `"hello"`, nil, "the message must be an object"},
			{"a list", `[{}]`, nil, "the message must be an object"},
			{"null", `null`, nil, "the message must be an object"},
			{"no JSON", `{"role":]`, nil, "the message is not JSON"},
			{"cut", `{"role":"assistant"`, nil, "the message is not JSON: it ends too early"},
			{"two", `{} {}`, nil, "the message is not JSON: something follows the value"},
			{"deeper than anything", strings.Repeat("[", 20000), nil, "the message is not JSON"},
		})
	}
	if _, err := MCP.Calls(json.RawMessage(`{}`)); err == nil || !strings.Contains(err.Error(), "has no messages") {
		t.Errorf("mcp gave the error %v, want one that says it has no messages", err)
	}
	if _, err := Format("cohere").Calls(json.RawMessage(`{}`)); err == nil || !strings.Contains(err.Error(), "there is no format") {
		t.Errorf("an unknown format gave the error %v", err)
	}
}
