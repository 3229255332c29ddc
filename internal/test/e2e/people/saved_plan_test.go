package people

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/protocol"
)

// TestYesToADurableTool: the consent of a durable tool lists what it may call. A yes covers its
// steps of medium risk in that run, and no other run.
func TestYesToADurableTool(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"tidies.js": "async function execute(params, tools, program) {\n" +
			"  for (const path of ['a', 'b']) { await tools.write_file({path, content: 'x'}); await tools.delete_file({path}); }\n" +
			"  return 'tidy';\n}\n",
		"tidies.json": `{"name": "tidies", "description": "Tidies.", "durable": true, "tools": ["write_file", "delete_file"],
			"parameters": {"properties": {}}}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ann := annWith(t, func(c *config.Config) { c.ToolsDirs = []string{dir} })
	for _, id := range []string{"first", "second"} {
		e := system.Execute(t, ann, "default", `{"context": {"user": "ann"}, "wait_ms": 20000, "calls": [{"call_id": "`+id+`", "tool": "tidies"}]}`).Results[0]
		asked := system.Decode[protocol.Consent](t, ann.Ask(t, "default", "consent.get", map[string]string{"consent_id": e.ConsentID}, ""))
		slices.Sort(asked.Tools)
		if strings.Join(asked.Tools, " ") != "delete_file write_file" {
			t.Fatalf("%s is asked about by %+v", id, asked)
		}
		ann.Ask(t, "default", "consent.decide", map[string]string{"consent_id": e.ConsentID}, `{"decision": "grant"}`)
		system.WantResult(t, system.Settled(t, ann, "default", id), `"tidy"`)
	}
	all := system.Decode[struct{ Consents []protocol.Consent }](t, ann.Ask(t, "default", "consent.list", map[string]string{"state": "all"}, "")).Consents
	for _, c := range all {
		if c.Program != nil {
			t.Errorf("a step was asked about: %+v", c)
		}
	}
}
