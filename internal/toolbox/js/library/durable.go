package library

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/js/manifest"
	"github.com/helve-dev/helve/tool"
)

// durable creates a durable tool of an entry: its function runs as a program. Code that names a
// tool beyond the list of the manifest is refused.
func (f *folder) durable(base, source string, e manifest.Entry) (t Loaded, refused string) {
	code := js.DurableBody(source, e.Function)
	if len(code) > durable.MaxCode {
		return Loaded{}, fmt.Sprintf("%s%s has %d bytes, and the code of a durable tool at most %d, because each run keeps it",
			base, scriptEnd, len(source), durable.MaxCode)
	}
	uses, err := js.Survey(base+scriptEnd, code, true)
	if err != nil {
		return Loaded{}, tool.AsError(err).Msg
	}
	if beyond := js.Check(uses, func(name string) js.Verdict {
		return js.Verdict{Known: true, Allowed: durable.Covers(e.Definition.Tools, name)}
	}); beyond != nil {
		return Loaded{}, base + scriptEnd + ": " + beyond.Msg
	}
	tools := e.Definition.Tools
	run := func(ctx context.Context, call *tool.Call, args json.RawMessage) (tool.Result, error) {
		return call.Durable.Run(ctx, call, tool.DurableCode{Code: code, Input: args, Args: true, Tools: tools})
	}
	made, err := tool.New(e.Definition, tool.NeedDurable, run)
	if err != nil {
		return Loaded{}, err.Error()
	}
	return Loaded{
		Tool: made, Schema: e.Schema, Dir: f.dir, File: base + manifestEnd, Entry: e.Index, Function: e.Function, Durable: code, Stated: e.Stated,
	}, ""
}

// Understated returns why a durable tool cannot be offered that states less than a tool which it
// may call; empty if it can. find returns the tools that an entry of its list names.
func (t Loaded) Understated(find func(entry string) []*tool.Definition) string {
	for _, entry := range t.Tool.Tools {
		for _, declared := range find(entry) {
			if why := t.Stated.Understates(&t.Tool.Definition, declared); why != "" && declared.Name != t.Tool.Name {
				return why + ", which it may call; state as much, or leave it out"
			}
		}
	}
	return ""
}

// Undeclared returns a sentence about the entries of a durable tool's list that name no tool now;
// empty if there are none.
func (t Loaded) Undeclared(find func(entry string) []*tool.Definition) string {
	var missing []string
	for _, entry := range t.Tool.Tools {
		if len(find(entry)) == 0 {
			missing = append(missing, entry)
		}
	}
	if missing == nil {
		return ""
	}
	return "tools: there is no tool " + strings.Join(missing, ", ") + " now; until there is, the tool counts as one of high risk"
}
