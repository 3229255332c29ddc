package provider

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

func TestFormats(t *testing.T) {
	for _, f := range Formats() {
		if got, ok := Parse(string(f)); got != f || !ok {
			t.Errorf("Parse(%q) = %q, %v", f, got, ok)
		}
		if text, err := f.Tools(nil); string(text) != "[]" || err != nil {
			t.Errorf("%s: no tools are %s (%v), want []", f, text, err)
		}
	}
	if len(dialects) != len(Formats()) {
		t.Errorf("%d formats are spoken and %d are listed", len(dialects), len(Formats()))
	}
	for _, name := range []string{"", "native", "OpenAI", "openai "} {
		if _, ok := Parse(name); ok {
			t.Errorf("Parse(%q) found a format", name)
		}
		if _, err := Format(name).Tools(nil); err == nil || !strings.Contains(err.Error(), "openai_responses") {
			t.Errorf("the tools of format %q: %v, want an error that names the formats", name, err)
		}
	}
}

func TestName(t *testing.T) {
	for native, want := range map[string]string{"read_file": "read_file", "files.read_text": "files_read_text", "a.b.c": "a_b_c"} {
		if got := Name(native); got != want {
			t.Errorf("Name(%q) = %q, want %q", native, got, want)
		}
	}
}

// TestDefinition: the parts of a definition that are no schema.
func TestDefinition(t *testing.T) {
	def := &tool.Definition{
		Name: "files.delete", Description: `Delete <a> "file" & all.`, Category: "Files", Group: "files", Version: "3",
		Parameters:   json.RawMessage(`{"type":"object","properties":{"path":{"type":"string","description":"<Path>"}},"required":["path"]}`),
		ResultSchema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`),
		Mutates:      true, Destructive: true, OpenWorld: true, Tags: []string{"remove"}, Example: json.RawMessage(`{"path":"x"}`),
	}
	const schema = `{"type":"object","properties":{"path":{"type":"string","description":"<Path>"}},"required":["path"]}`
	const described = `"description":"Delete <a> \"file\" & all."`
	for f, want := range map[Format]string{
		OpenAI:    `[{"type":"function","function":{"name":"files_delete",` + described + `,"parameters":` + schema + `}}]`,
		Responses: `[{"type":"function","name":"files_delete",` + described + `,"parameters":` + schema + `,"strict":false}]`,
		Anthropic: `[{"name":"files_delete",` + described + `,"input_schema":` + schema + `}]`,
		Gemini: `[{"functionDeclarations":[{"name":"files_delete",` + described +
			`,"parameters":{"type":"OBJECT","properties":{"path":{"type":"STRING","description":"<Path>"}},"required":["path"]}}]}]`,
		MCP: `[{"name":"files.delete",` + described + `,"inputSchema":` + schema +
			`,"outputSchema":{"type":"object","properties":{"n":{"type":"integer"}}},` +
			`"annotations":{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":true}}]`,
	} {
		got, err := f.Tools([]*tool.Definition{def})
		if diff := cmp.Diff(want, string(got)); diff != "" || err != nil {
			t.Errorf("%s (-want +got, %v):\n%s", f, err, diff)
		}
		two, err := f.Tools([]*tool.Definition{def, def})
		if n := strings.Count(string(two), described); n != 2 || !json.Valid(two) || err != nil {
			t.Errorf("%s: two tools came out as %d: %s (%v)", f, n, two, err)
		}
	}
}

func TestMCPDefinition(t *testing.T) {
	for result, want := range map[string]bool{``: false, `{"type":"string"}`: false, `{"type":"object"}`: true, `true`: false} {
		text, err := MCP.Tools([]*tool.Definition{{Name: "a.b", ResultSchema: json.RawMessage(result), Idempotent: true}})
		if got := strings.Contains(string(text), "outputSchema"); got != want || err != nil {
			t.Errorf("the result %q gave %s (%v), want an output schema: %v", result, text, err, want)
		}
		for _, part := range []string{
			`"name":"a.b"`, `"inputSchema":{"type":"object","properties":{}}`, `"readOnlyHint":true`, `"idempotentHint":true`,
			`"openWorldHint":false`,
		} {
			if !strings.Contains(string(text), part) {
				t.Errorf("%s lacks %s", text, part)
			}
		}
	}
}

func TestLongDescription(t *testing.T) {
	for _, n := range []int{1023, 1024, 1025, 3000} {
		def := &tool.Definition{Name: "t", Description: strings.Repeat("é", n)}
		for f, limited := range map[Format]bool{OpenAI: true, Responses: true, Anthropic: false, Gemini: false, MCP: false} {
			text, err := f.Tools([]*tool.Definition{def})
			want := n
			if limited && n > 1024 {
				want = 1023
			}
			got := strings.Count(string(text), "é")
			if marked := strings.Contains(string(text), "é…"); got != want || marked != (want != n) || err != nil {
				t.Errorf("%s: %d characters became %d, marked as cut: %v (%v), want %d", f, n, got, marked, err, want)
			}
		}
	}
}

func TestSchemaThatIsNotJSON(t *testing.T) {
	for _, f := range Formats() {
		_, err := f.Tools([]*tool.Definition{{Name: "fine"}, {Name: "rotten", Parameters: json.RawMessage(`{"type":`)}})
		if err == nil || !strings.Contains(err.Error(), `"rotten"`) {
			t.Errorf("%s: the error is %v, want one that names the tool", f, err)
		}
	}
	if _, err := MCP.Tools([]*tool.Definition{{Name: "rotten", ResultSchema: json.RawMessage(`{]`)}}); err == nil {
		t.Error("mcp took a result schema that is not JSON")
	}
	if _, err := OpenAI.Tools([]*tool.Definition{{Name: "fine", ResultSchema: json.RawMessage(`{]`)}}); err != nil {
		t.Errorf("openai looked at a result schema, which it does not send: %v", err)
	}
}

// TestCatalogueStaysAsItIs: providers of JSON Schema get the parameters of built-in
// tools as the tools declare them, and Gemini the same names, required or not.
func TestCatalogueStaysAsItIs(t *testing.T) {
	defs := catalogue()
	var openai []struct{ Function struct{ Parameters any } }
	var anthropic []struct {
		InputSchema any `json:"input_schema"`
	}
	var gemini []struct {
		FunctionDeclarations []struct {
			Parameters *struct {
				Properties map[string]any
				Required   []string
			}
		}
	}
	for f, into := range map[Format]any{OpenAI: &openai, Anthropic: &anthropic, Gemini: &gemini} {
		text, err := f.Tools(defs)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, into); err != nil {
			t.Fatal(err)
		}
	}
	for i, def := range defs {
		var want any
		var names struct {
			Properties map[string]any
			Required   []string
		}
		_ = json.Unmarshal(def.Parameters, &want)
		_ = json.Unmarshal(def.Parameters, &names)
		if diff := cmp.Diff(want, openai[i].Function.Parameters); diff != "" {
			t.Errorf("%s for OpenAI (-native +got):\n%s", def.Name, diff)
		}
		if diff := cmp.Diff(want, anthropic[i].InputSchema); diff != "" {
			t.Errorf("%s for Anthropic (-native +got):\n%s", def.Name, diff)
		}
		got := gemini[0].FunctionDeclarations[i].Parameters
		if (got == nil) != (len(names.Properties) == 0) {
			t.Errorf("%s for Gemini has parameters: %v, natively %d", def.Name, got != nil, len(names.Properties))
			continue
		}
		if got == nil {
			continue
		}
		if !cmp.Equal(got.Required, names.Required) || len(got.Properties) != len(names.Properties) {
			t.Errorf("%s for Gemini takes %v, requires %q, natively %v, %q",
				def.Name, got.Properties, got.Required, names.Properties, names.Required)
		}
	}
}

func TestToolsRemembers(t *testing.T) {
	one, two := &tool.Definition{Name: "one"}, &tool.Definition{Name: "two"}
	first, _ := OpenAI.Tools([]*tool.Definition{one, two})
	again, _ := OpenAI.Tools([]*tool.Definition{one, two})
	if &first[0] != &again[0] {
		t.Error("the same list was written twice")
	}
	for range 2 * maxRecent {
		if text, err := OpenAI.Tools(nil); string(text) != "[]" || err != nil {
			t.Fatalf("no tools are %s (%v)", text, err)
		}
	}
	copied := *one
	if equal, _ := OpenAI.Tools([]*tool.Definition{&copied, two}); &first[0] != &equal[0] {
		t.Error("a copy of a definition was written again")
	}
	if cap(first) != len(first) {
		t.Errorf("what is shared has %d bytes more to write to", cap(first)-len(first))
	}
	changes := map[string]func(d *tool.Definition){
		"name":        func(d *tool.Definition) { d.Name = "x" },
		"description": func(d *tool.Definition) { d.Description = "x" },
		"parameters":  func(d *tool.Definition) { d.Parameters = json.RawMessage(`{"properties":{"x":{}}}`) },
		"result":      func(d *tool.Definition) { d.ResultSchema = json.RawMessage(`{"type":"object"}`) },
		"mutates":     func(d *tool.Definition) { d.Mutates = true },
		"destructive": func(d *tool.Definition) { d.Destructive = true },
		"idempotent":  func(d *tool.Definition) { d.Idempotent = true },
		"open world":  func(d *tool.Definition) { d.OpenWorld = true },
	}
	before, _ := MCP.Tools([]*tool.Definition{one})
	for what, change := range changes {
		changed := *one
		change(&changed)
		if after, _ := MCP.Tools([]*tool.Definition{&changed}); string(before) == string(after) {
			t.Errorf("another %s still gives %s", what, after)
		}
	}
	for _, other := range [][]*tool.Definition{{two, one}, {one}, {one, two, one}} {
		if got, _ := OpenAI.Tools(other); string(got) == string(first) {
			t.Errorf("another list of %d gives %s", len(other), got)
		}
	}
}

func TestToolsForgets(t *testing.T) {
	var m memory
	list := func(i int) []*tool.Definition { return []*tool.Definition{{Name: fmt.Sprint("t", i)}} }
	for i := range 3 * maxRecent {
		m.add(OpenAI, list(i), json.RawMessage("x"))
	}
	if n := len(*m.lists.Load()); n != maxRecent {
		t.Errorf("%d lists are remembered, want %d", n, maxRecent)
	}
	if _, ok := m.find(OpenAI, list(3*maxRecent-1)); !ok {
		t.Error("the newest list is forgotten")
	}
	if _, ok := m.find(OpenAI, list(0)); ok {
		t.Error("the oldest list is remembered")
	}
	if _, ok := m.find(Gemini, list(3*maxRecent-1)); ok {
		t.Error("a list of another format was found")
	}
	given := list(-1)
	m.add(OpenAI, given, json.RawMessage("x"))
	given[0] = &tool.Definition{Name: "another"}
	if _, ok := m.find(OpenAI, given); ok {
		t.Error("a caller changed what is remembered through its own slice")
	}
}

func TestToolsConcurrently(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 200 {
				name := fmt.Sprintf("tool_%d", (i+n)%50)
				for _, f := range Formats() {
					if text, err := f.Tools([]*tool.Definition{{Name: name}}); err != nil || !strings.Contains(string(text), `"`+name+`"`) {
						t.Errorf("%s of %s: %s, %v", f, name, text, err)
					}
				}
			}
		})
	}
	wg.Wait()
}
