package people

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/protocol"
)

// saveTool makes a durable tool of ann's by create_tool, or changes it by update_custom_tool.
func saveTool(t *testing.T, ann system.Door, by string, args map[string]any) system.Element {
	t.Helper()
	if by == "create_tool" {
		args["description"], args["durable"] = "A tool of a test.", true
		args["parameters"] = map[string]any{"type": "object", "properties": map[string]any{"n": map[string]any{"type": "integer"}}}
	}
	return agreed(t, ann, by, args)
}

// agreed makes a call of ann's and agrees to it.
func agreed(t *testing.T, ann system.Door, name string, args map[string]any) system.Element {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	e := system.Execute(t, ann, "default", fmt.Sprintf(
		`{"context": {"user": "ann"}, "wait_ms": 20000, "calls": [{"tool": %q, "arguments": %s}]}`, name, raw)).Results[0]
	if e.Status != "pending" {
		return e
	}
	ann.Ask(t, "default", "consent.decide", map[string]string{"consent_id": e.ConsentID}, `{"decision": "grant"}`)
	return system.Settled(t, ann, "default", e.CallID)
}

// begin calls a durable tool until it is known, and waits until its program waits for a person.
func begin(t *testing.T, ann system.Door, id, name string) protocol.ProgramDetail {
	t.Helper()
	system.Eventually(t, name+" is known", func() bool {
		return system.Execute(t, ann, "default", fmt.Sprintf(
			`{"context": {"user": "ann"}, "wait_ms": 0, "calls": [{"call_id": %q, "tool": %q, "arguments": {"n": 20}}]}`, id, name)).Results[0].ErrorType == ""
	})
	return untilWaiting(t, ann, id)
}

func answerYes(t *testing.T, ann system.Door, p protocol.ProgramDetail) {
	t.Helper()
	ann.Ask(t, "default", "consent.decide", map[string]string{"consent_id": p.WaitingFor[0].ConsentID},
		`{"decision": "grant", "answer": {"answer": true}}`)
}

const askAndAdd = "const a = await tools.debug.echo({value: args.n});\n" +
	"if (!await program.ask('Go on?', {type: 'boolean'})) return 0;\nreturn a + "

// TestDurableToolOfAModel: a program continues with the version that it began with, after its tool
// was changed and after it was removed; a new call takes the new version.
func TestDurableToolOfAModel(t *testing.T) {
	t.Parallel()
	ann := annWith(t, nil)
	saveTool(t, ann, "create_tool", map[string]any{"name": "adds", "code": askAndAdd + "1;", "tools": []string{"debug.echo", "ask_user"}})
	first := begin(t, ann, "first", "adds")
	if first.Version != "1" || !strings.Contains(first.Code, "a + 1") || strings.Join(first.Tools, " ") != "debug.echo ask_user" ||
		first.Tool != "adds" || !strings.Contains(string(first.Input), "20") {
		t.Errorf("the program is shown as %+v", first)
	}
	e := saveTool(t, ann, "update_custom_tool", map[string]any{"name": "adds", "code": askAndAdd + "2;",
		"parameters": map[string]any{"type": "object", "properties": map[string]any{"n": map[string]any{"type": "integer", "maximum": 20}},
			"required": []string{"n"}}})
	if e.Status != "success" {
		t.Fatalf("update_custom_tool ended %+v", e)
	}
	system.Eventually(t, "a new call takes the new version", func() bool {
		return begin(t, ann, "second", "adds").Version == "2" || ann.Ask(t, "default", "calls.cancel", map[string]string{"call_id": "second"}, "").Status == 0
	})
	answerYes(t, ann, first)
	system.WantResult(t, system.Settled(t, ann, "default", "first"), "21")
	if p := untilEnded(t, ann, "first"); p.Version != "1" || !strings.Contains(p.Code, "a + 1") {
		t.Errorf("after its end it is shown with version %s and %s", p.Version, p.Code)
	}
	if e := agreed(t, ann, "delete_custom_tool", map[string]any{"name": "adds"}); e.Status != "success" {
		t.Fatalf("delete_custom_tool ended %+v", e)
	}
	system.Eventually(t, "the tool is gone", func() bool {
		return ann.Ask(t, "default", "tools.get", map[string]string{"name": "adds"}, "").Status == 404
	})
	answerYes(t, ann, untilWaiting(t, ann, "second"))
	system.WantResult(t, system.Settled(t, ann, "default", "second"), "22")
}

func untilEnded(t *testing.T, d system.Door, callID string) (p protocol.ProgramDetail) {
	t.Helper()
	system.Eventually(t, callID+" has ended", func() bool {
		p = system.Decode[protocol.ProgramDetail](t, d.Ask(t, "default", "programs.get", map[string]string{"call_id": callID}, ""))
		return p.State == protocol.StateDone
	})
	return p
}

// TestDurableToolOfADirectory: the same for a script of a tools directory; a load error reports
// a tool that it may call and that is not there.
func TestDurableToolOfADirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(version, add, tools string) {
		t.Helper()
		for name, text := range map[string]string{
			"adds.js": "async function execute(params, tools, program) {\n  const args = params;\n" + askAndAdd + add + ";\n}\n",
			"adds.json": `{"name": "adds", "description": "Adds.", "version": "` + version + `", "durable": true, "tools": [` + tools + `],
				"parameters": {"properties": {"n": {"type": "integer"}}}}`,
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	write("one", "1", `"debug.echo", "ask_user"`)
	ann := annWith(t, func(c *config.Config) { c.ToolsDirs = []string{dir} })
	first := begin(t, ann, "first", "adds")
	if first.Version != "one" || !strings.Contains(first.Code, "a + 1") || first.Steps[1].Line != 4 {
		t.Errorf("the program is shown as %+v", first)
	}
	write("two", "2", `"debug.echo", "ask_user", "nobody_has_this"`)
	system.Eventually(t, "the new version is there", func() bool {
		def := system.Decode[protocol.Tool](t, ann.Ask(t, "default", "tools.get", map[string]string{"name": "adds"}, ""))
		return def.Version == "two" && def.Risk == protocol.High && def.Mutates && def.OpenWorld && len(def.Tools) == 3
	})
	system.Eventually(t, "the load error is there", func() bool {
		r := ann.Ask(t, "default", "tools.list", nil, "")
		return strings.Contains(string(r.Body), "there is no tool nobody_has_this now")
	})
	for _, name := range []string{"adds.js", "adds.json"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	system.Eventually(t, "the tool is gone", func() bool {
		return ann.Ask(t, "default", "tools.get", map[string]string{"name": "adds"}, "").Status == 404
	})
	answerYes(t, ann, first)
	system.WantResult(t, system.Settled(t, ann, "default", "first"), "21")
}

// TestDurableToolHasTheRiskOfItsSteps: a tool has the risk of the tools that it may call, asks for
// it once, and is not asked for again when it goes on; no author can state less, and nobody gets
// more by a list than they have.
func TestDurableToolHasTheRiskOfItsSteps(t *testing.T) {
	t.Parallel()
	ann := annWith(t, nil)
	low := map[string]any{"name": "low", "code": "return 1", "tools": []string{"delete_file"}, "risk": "low"}
	if e := saveTool(t, ann, "create_tool", low); e.ErrorType != "validation_error" || !strings.Contains(e.Message, "'delete_file'") {
		t.Errorf("a risk below that of a tool is answered %+v", e)
	}
	e := saveTool(t, ann, "create_tool", map[string]any{"name": "tidies", "tools": []string{"ask_user", "delete_*", "write_file", "no_such_tool"},
		"code": "await tools.write_file({path: 'a', content: 'b'});\nawait program.ask('Go on?');\nreturn 'tidy';"})
	if e.Status != "success" || !strings.Contains(string(e.Result), "no_such_tool") {
		t.Errorf("a tool that does not exist is answered %+v", e)
	}
	saveTool(t, ann, "update_custom_tool", map[string]any{"name": "tidies", "tools": []string{"ask_user", "delete_*", "write_file"}})
	var def protocol.Tool
	system.Eventually(t, "the new version is there", func() bool {
		def = system.Decode[protocol.Tool](t, ann.Ask(t, "default", "tools.get", map[string]string{"name": "tidies"}, ""))
		return def.Version == "2"
	})
	if def.Risk != protocol.Medium || !def.Mutates || !def.Destructive || def.TimeoutSeconds != 3600 || len(def.Tools) != 3 {
		t.Errorf("the definition is %+v", def)
	}
	call := `{"context": {"user": "ann"}, "wait_ms": 20000, "calls": [{"call_id": "t", "tool": "tidies", "arguments": {}}]}`
	var asked system.Element
	system.Eventually(t, "workers know it", func() bool {
		asked = system.Execute(t, ann, "default", call).Results[0]
		return asked.ConsentID != ""
	})
	ann.Ask(t, "default", "consent.decide", map[string]string{"consent_id": asked.ConsentID}, `{"decision": "grant"}`)
	p := untilWaiting(t, ann, "t")
	answerText(t, ann, p.WaitingFor[0].ConsentID)
	system.WantResult(t, system.Settled(t, ann, "default", "t"), `"tidy"`)
}

func answerText(t *testing.T, ann system.Door, consentID string) {
	t.Helper()
	ann.Ask(t, "default", "consent.decide", map[string]string{"consent_id": consentID}, `{"decision": "grant", "answer": {"answer": "yes"}}`)
}

// TestDurableToolStaysWithinItsTools: what a tool may not call it may not call by another way
// either; without a list it may call nothing.
func TestDurableToolStaysWithinItsTools(t *testing.T) {
	t.Parallel()
	ann := annWith(t, nil)
	for name, tt := range map[string]struct {
		code, says string
		tools      []string
	}{
		"beyond":  {"return 1 +\n  await tools.debug.echo({value: 1})", "line 2, column 9: the program may not call 'debug.echo'", []string{"ask_user"}},
		"nothing": {"await tools.debug.echo({value: 1})", "may not call 'debug.echo'", nil},
		"syntax":  {"return return", "line 1", nil},
	} {
		e := saveTool(t, ann, "create_tool", map[string]any{"name": name, "code": tt.code, "tools": tt.tools})
		if e.ErrorType != "validation_error" || !strings.Contains(e.Message, tt.says) {
			t.Errorf("%s: %s: %s, want %s", name, e.ErrorType, e.Message, tt.says)
		}
	}
	for name, tt := range map[string]struct {
		code  string
		tools []string
	}{
		"late":    {"return await tools['debug.' + 'echo']({value: 1})", []string{"calculate"}},
		"none":    {"return await tools['debug.' + 'echo']({value: 1})", nil},
		"way":     {"return await tools.use_tool({tool_name: 'debug.echo', arguments: {value: 1}})", []string{"use_tool"}},
		"program": {"return await tools.run_program({code: 'return await tools.debug.echo({value: 1})'})", []string{"run_program"}},
		"list": {"return await tools.run_program({code: 'return await tools.debug.echo({value: 1})', tools: ['*']})",
			[]string{"run_program", "calculate"}},
	} {
		if e := saveTool(t, ann, "create_tool", map[string]any{"name": name, "code": tt.code, "tools": tt.tools}); e.Status != "success" {
			t.Fatalf("%s: create_tool ended %+v", name, e)
		}
		var got system.Element
		system.Eventually(t, name+" is known", func() bool {
			got = agreed(t, ann, name, map[string]any{})
			return got.ErrorType != "tool_not_found"
		})
		if got.ErrorType != "permission_denied" || !strings.Contains(got.Message, "debug.echo") {
			t.Errorf("%s ended %s: %s", name, got.ErrorType, got.Message)
		}
	}
}

// TestDurableToolGivesNoRights: a shared durable tool runs with the tools of the caller:
// a name in its list that is its author's own tool is nothing to others, and counts as the worst.
func TestDurableToolGivesNoRights(t *testing.T) {
	t.Parallel()
	doors := peopleWith(t, identity.Entry{User: "ann", Roles: []string{"user", "approver"}},
		identity.Entry{User: "bob", Roles: []string{"user", "approver"}})
	ann, bob := doors["ann"], doors["bob"]
	object := map[string]any{"type": "object"}
	agreed(t, ann, "create_tool", map[string]any{"name": "secret", "description": "d", "parameters": object, "code": "return 'of ann'"})
	saveTool(t, ann, "create_tool", map[string]any{"name": "shared", "code": "return await tools.secret({})", "tools": []string{"secret"}})
	if e := agreed(t, ann, "share_custom_tool", map[string]any{"name": "shared"}); e.Status != "success" {
		t.Fatalf("share_custom_tool ended %+v", e)
	}
	risk := func(d system.Door) (risk protocol.Risk) {
		r := d.Ask(t, "default", "tools.get", map[string]string{"name": "shared"}, "")
		if r.Status == 200 {
			risk = system.Decode[protocol.Tool](t, r).Risk
		}
		return risk
	}
	system.Eventually(t, "both have the tool", func() bool { return risk(ann) == protocol.Low && risk(bob) == protocol.High })
	e := system.Execute(t, bob, "default",
		`{"context": {"user": "bob"}, "wait_ms": 20000, "calls": [{"call_id": "b", "tool": "shared", "arguments": {}}]}`).Results[0]
	if e.ConsentID == "" {
		t.Fatalf("bob is answered %+v, want to be asked", e)
	}
	bob.Ask(t, "default", "consent.decide", map[string]string{"consent_id": e.ConsentID}, `{"decision": "grant"}`)
	if got := system.Settled(t, bob, "default", "b"); got.ErrorType != "validation_error" || !strings.Contains(got.Message, "'secret' not found") {
		t.Errorf("bob's program ended %s: %s %s", got.ErrorType, got.Message, got.Result)
	}
}
