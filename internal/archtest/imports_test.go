package archtest

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
)

// row says which of our packages a package may import. In both columns "x/*"
// is any package below x.
type row struct {
	pkg string
	may []string
	why string
}

// everyone may import these; nothing need list them.
var everyone = []string{"internal/failpoint"}

var anything = []string{"*"}

var table = []row{
	{"tool", nil, "it is the contract other teams write tools against, so it drags nothing along"},
	{"tool/tooltest", []string{"internal/schema", "tool"}, "it tests a tool as the engine would call it, and nothing more of the platform"},
	{"config", nil, "a setting is data; whoever obeys it reads it"},
	{"client", []string{"tool"}, "front ends embed it and must not link the platform"},
	{"client/chat", []string{"client", "tool"}, "front ends embed it too; it knows providers and neither the platform nor their SDKs"},
	{"worker", []string{"internal/*", "tool", "config"}, "it wires a worker together and is wired into none of its parts"},
	{"cmd/*", anything, "a command is where everything is wired together"},

	{"internal/schema", nil, "validation is about JSON, not about tools or transports"},
	{"internal/engine", []string{"internal/crew", "internal/schema", "tool"}, "the pipeline must run without NATS; its stages own their interfaces"},
	{"internal/catalog", []string{"tool"}, "a catalogue lists definitions, wherever they come from"},
	{"internal/bus", []string{"config", "internal/crew", "tool"}, "it carries calls and knows nothing of who makes or runs them"},
	{"internal/crew", nil, "it runs functions"},
	{"internal/program", []string{"config", "internal/telemetry"}, "it starts a program and knows nothing of what it serves"},
	{"internal/tune", nil, "it speaks to the Go runtime only"},
	{"internal/directory", []string{"internal/bus", "internal/catalog", "tool"}, "it feeds the catalogue from the bus; the catalogue itself knows no NATS"},
	{"internal/front", anything, "it puts a dispatcher process together, for cmd/dispatcher and helve up"},
	{"internal/e2e", anything, "it tests all of it"},
	{"internal/faults", anything, "it tests all of it"},
	{"internal/faults/*", anything, "programs for its tests"},
	{"internal/bus/*", []string{"internal/bus", "internal/embedded", "tool"}, "its test support runs the real bus on the embedded server"},
	{"internal/embedded", nil, "it is a NATS server in the process and nothing else"},
	{"internal/dispatcher", []string{"internal/audit", "internal/bus", "internal/catalog", "internal/consent", "internal/identity", "internal/schema", "internal/telemetry", "internal/upstream/pins", "tool"}, "it reaches workers only through the bus"},
	{"internal/api", apiMay, "operations stand on the dispatcher, never on a worker"},
	{"internal/api/*", apiMay, "a transport is a thin adapter of the operations"},
	{"internal/api/mcp", []string{"internal/identity", "internal/provider", "tool"}, "it stands on a platform of its own interface, in a dispatcher or a client"},
	{"internal/api/asyncapi", apiMay, "it describes the subjects from what makes them"},
	{"internal/api/httpapi", append([]string{"internal/api/openapi"}, apiMay...), "a transport is a thin adapter of the operations; this one also says what they are"},
	{"internal/api/openapi", []string{"internal/api", "internal/audit", "internal/bus", "internal/catalog", "internal/consent", "internal/upstream/pins", "tool"}, "it describes the operations by their types and serves none"},
	{"internal/identity", nil, "who asks is known before anything is"},
	{"internal/provider", []string{"internal/schema", "tool"}, "how a model provider writes things is a question of JSON, whoever asks"},
	{"internal/provider/sdktest", nil, "it has tests only, which may import what they like"},
	{"internal/natsauth", []string{"internal/api", "internal/bus", "internal/identity", "tool"}, "permissions on subjects follow from who may ask for what"},
	{"internal/policy", []string{"tool"}, "a decision rests on the call and the rules, on nothing that runs"},
	{"internal/token", []string{"internal/scope", "tool"}, "a token says what it says, whoever reads it"},
	{"internal/scope", []string{"tool"}, "what is within reach is a question of names"},
	{"docs/tools", nil, "pages are embedded as they are"},
	{"internal/ratelimit", nil, "it counts over a store of its own interface"},
	{"internal/keyfile", nil, "a key is a file"},
	{"internal/audit", []string{"tool"}, "records and proofs must be checked without the platform"},
	{"internal/audit/index", []string{"internal/audit", "tool"}, "it copies records into SQL, wherever they come from"},
	{"internal/trail", []string{"internal/audit", "internal/bus", "internal/telemetry", "tool"}, "it puts records onto the bus"},
	{"internal/consent/preview", nil, "what a person is shown follows from the arguments alone"},
	{"internal/consent", []string{"internal/audit", "internal/bus", "internal/identity", "internal/telemetry", "internal/token", "internal/trail", "tool"}, "it asks people and carries out their verdicts, over the bus"},
	{"internal/gate", []string{"internal/audit", "internal/bus", "internal/consent", "internal/consent/*", "internal/engine", "internal/policy", "internal/schema", "internal/scope", "internal/telemetry", "internal/token", "tool"}, "it is where a worker decides; it runs nothing itself"},
	{"internal/js", []string{"tool"}, "a script reaches the world through the ports of its call"},
	{"internal/js/manifest", []string{"internal/schema", "internal/scope", "tool"}, "a manifest is read without its script"},
	{"internal/js/typings", nil, "it is a text"},
	{"internal/js/library", []string{"internal/js", "internal/js/manifest", "internal/schema", "tool"}, "it makes tools of files and does not know who offers them"},
	{"internal/sandbox", []string{"internal/childexe", "internal/js", "internal/sandbox/*", "tool"}, "the cage knows scripts and nothing of calls"},
	{"internal/sandbox/*", []string{"internal/js", "internal/sandbox", "internal/sandbox/*", "tool"}, "a part of the cage, or a program for its tests"},
	{"internal/sandbox/inside", []string{"internal/js", "internal/sandbox/lockdown", "internal/sandbox/wire", "tool"}, "a child waits until all that it links is set up, so it links little and no logger"},
	{"internal/sandbox/inside/early", []string{"internal/sandbox/inside"}, "it is that child, and comes early"},
	{"internal/sandbox/sandboxtest", []string{"internal/childtest", "internal/sandbox/inside"}, "it builds a child for tests"},
	{"internal/childexe", nil, "it looks at files"},
	{"internal/childtest", nil, "it builds programs, whichever"},
	{"internal/dynamic", []string{"internal/engine", "internal/js", "internal/sandbox", "internal/schema", "tool"}, "it stores and runs tools through interfaces of its own"},
	{"internal/remote", []string{"internal/bus", "internal/catalog", "internal/engine", "internal/js/manifest", "internal/policy", "internal/schema", "tool"}, "it keeps who runs which tool, over the bus, and makes of that tools the engine can run"},
	{"internal/upstream", []string{"internal/backend/netguard", "internal/backend/programs", "internal/policy", "internal/schema", "internal/scope", "internal/upstream/*", "tool"}, "it makes tools of MCP servers, over a store and metrics of its own interfaces"},
	{"internal/upstream/wire", nil, "messages are bounded whatever they say"},
	{"internal/upstream/pins", []string{"internal/audit", "internal/bus", "tool"}, "what was accepted is known to dispatchers too, which link no MCP server"},
	{"internal/upstream/upstreamtest", nil, "it is a server for tests"},
	{"internal/telemetry", []string{"config", "tool"}, "everything is measured by it, so it depends on nothing that is"},
	{"internal/tools", []string{"tool", "internal/tools/*"}, "it only lists the sets"},
	{"internal/tools/*", []string{"tool"}, "a category touches the world only through the ports of its call and shares nothing with another"},
	{"internal/backend/*", []string{"internal/scope", "tool"}, "a backend implements a port and does not know who uses it"},
	{"internal/backend/programs", []string{"internal/backend/programs/*", "internal/childexe", "internal/sandbox/lockdown", "internal/scope", "tool"}, "it implements a port, by starting its own binary as a launcher, and reports what a host lacks as the cage does"},
	{"internal/backend/programs/*", []string{"internal/backend/programs/*", "tool"}, "a launcher is started for every program, so it drags nothing along"},
	{"internal/backend/programs/programstest", []string{"internal/backend/programs/launch", "internal/childtest"}, "it builds a launcher for tests"},
	{"internal/backend/programs/programstest/*", []string{"internal/backend/programs"}, "it is that launcher"},
	{"examples/*", anything, "an example shows what there is"},
	{"internal/modeltest", nil, "it plays a provider, whoever talks to it"},
	{"internal/bench", anything, "it measures all of it"},
	{"internal/cli", []string{"client", "client/*", "config", "docs/tools", "internal/api/mcp", "internal/audit", "internal/keyfile", "internal/provider", "internal/token", "tool"}, "a command line is one more client, which can check an export, and pass tools on, by itself"},
	{"internal/failpoint", nil, "everything may import it"},
	{"internal/archtest", nil, "it reads sources, it links none"},
}

var apiMay = []string{
	"internal/api", "internal/audit", "internal/bus", "internal/catalog", "internal/consent", "internal/dispatcher", "internal/identity",
	"internal/provider", "internal/remote", "internal/schema", "internal/scope", "internal/telemetry", "internal/upstream/pins", "tool",
}

// find returns the row of pkg: the one that names it, or else the one with the
// longest tree around it.
func find(rows []row, pkg string) (row, bool) {
	var best row
	for _, r := range rows {
		if r.pkg == pkg {
			return r, true
		}
		if matches(r.pkg, pkg) && len(r.pkg) > len(best.pkg) {
			best = r
		}
	}
	return best, best.pkg != ""
}

func matches(pattern, pkg string) bool {
	if pattern == "*" {
		return true
	}
	tree, below := strings.CutSuffix(pattern, "/*")
	return pattern == pkg || below && strings.HasPrefix(pkg, tree+"/")
}

// brokenImports holds the imports of ours, tests left out, against rows.
func brokenImports(rows []row, all []source) []string {
	var broken []string
	unlisted := map[string]bool{}
	for _, s := range all {
		if s.Test {
			continue
		}
		r, ok := find(rows, s.Dir)
		if !ok {
			if !unlisted[s.Dir] {
				broken = append(broken, fmt.Sprintf("package %s has no row in the import table of internal/archtest: add a row that says what it may import and why", s.Dir))
			}
			unlisted[s.Dir] = true
			continue
		}
		for _, spec := range s.File.Imports {
			to, ours := strings.CutPrefix(importPath(spec), module+"/")
			allowed := func(p string) bool { return matches(p, to) }
			if ours && !slices.ContainsFunc(r.may, allowed) && !slices.ContainsFunc(everyone, allowed) {
				broken = append(broken, fmt.Sprintf("%s: %s must not import %s: %s; it may import %v", s.at(spec), s.Dir, to, r.why, r.may))
			}
		}
	}
	return broken
}

func TestImports(t *testing.T) {
	report(t, brokenImports(table, sources(t)))
}

func TestBrokenImports(t *testing.T) {
	rows := []row{
		{"a", nil, "a stands alone"},
		{"b", []string{"a", "c/*"}, ""},
		{"c/*", []string{"a"}, "c is narrow"},
		{"c/w", anything, ""},
	}
	for _, tt := range []struct {
		file, imports string
		broken        bool
	}{
		{"a/x.go", "fmt", false},
		{"a/x.go", module + "/b", true},
		{"a/x.go", module + "/internal/failpoint", false},
		{"a/x_test.go", module + "/b", false},
		{"b/x.go", module + "/a", false},
		{"b/x.go", module + "/c/d", false},
		{"b/x.go", module + "/c", true},
		{"c/d/x.go", module + "/c/e", true},
		{"c/w/x.go", module + "/c/e", false},
		{"new/x.go", "fmt", true},
	} {
		text := fmt.Sprintf("package %s\n\nimport _ %q\n", path.Base(path.Dir(tt.file)), tt.imports)
		got := brokenImports(rows, []source{parse(t, tt.file, text)})
		if (len(got) > 0) != tt.broken {
			t.Errorf("brokenImports(%s importing %s) = %q, want broken %v", tt.file, tt.imports, got, tt.broken)
		}
	}
}
