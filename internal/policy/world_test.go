package policy

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
)

// Tools to decide about, one of each risk.
var (
	writeFile = &tool.Definition{
		Name: "write_file", Group: "filesystem", Category: "File System", Kind: tool.KindBuiltin,
		Risk: tool.Low, Mutates: true, Scopes: tool.Scopes{Paths: []string{"workspace"}},
	}
	httpRequest = &tool.Definition{
		Name: "http_request", Group: "web", Category: "Web & API", Kind: tool.KindBuiltin,
		Risk: tool.Medium, Mutates: true, OpenWorld: true, Scopes: tool.Scopes{Hosts: []string{"*"}},
	}
	runShell = &tool.Definition{
		Name: "run_shell", Group: "shell", Category: "CLI Tools", Kind: tool.KindJS,
		Risk: tool.High, Mutates: true, Destructive: true,
	}
)

// call is an input of user anna and agent scribe of tenant acme, on a Wednesday
// at 10:30 UTC.
func call(def *tool.Definition, args string) Input {
	return Input{
		Tenant: "acme", User: "anna", Agent: "scribe", Conversation: "c1",
		Tool: def, Mutates: def.Mutates, Arguments: json.RawMessage(args),
		Origin: Direct, Now: time.Date(2026, 11, 18, 10, 30, 0, 0, time.UTC),
	}
}

// ruleFile writes a rule file and returns its path.
func ruleFile(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// of returns the policy of options and one rule file.
func of(t testing.TB, o Options, rules string) *Policy {
	t.Helper()
	o.Rules = []string{ruleFile(t, "rules.cedar", rules)}
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
