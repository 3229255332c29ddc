package archtest

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
)

// row lists the packages of ours that a package may import. In both columns "x/*" is
// any package below x.
type row struct {
	pkg string
	may []string
	why string
}

// everyone lists packages that any package may import without naming them. They import
// no package of ours.
var everyone = []string{"protocol", "internal/failpoint", "internal/gopool", "internal/lib/jsonwalk", "internal/lib/nearest", "internal/lib/textcut"}

// failing lists packages that a library may import if its errors are those of a tool.
var failing = []string{"internal/lib/*", "tool"}

var anything = []string{"*"}

var table = []row{
	{"protocol", nil, "it is what every program that speaks to Helve shares, so it drags nothing along"},
	{"tool", nil, "it is the contract other teams write tools against, so it drags nothing along"},
	{"tool/tooltest", []string{"internal/backend/store", "internal/schema", "internal/testpostgres", "tool"}, "it tests a tool as the engine would call it, over the real store, and nothing more of the platform"},
	{"config", nil, "a setting is data; whoever obeys it reads it"},
	{"client", []string{"internal/lib/eventstream", "tool"}, "front ends embed it and must not link the platform"},
	{"client/chat", []string{"client", "internal/lib/eventstream", "tool"}, "front ends embed it too; it knows providers and neither the platform nor their SDKs"},
	{"worker", []string{"config", "internal/app", "internal/app/worker", "internal/telemetry", "internal/toolbox", "tool"}, "it is the public face of a worker, and holds nothing that runs one"},
	{"worker/parts", []string{"internal/toolbox", "worker/parts/*"}, "it only lists the parts"},
	{"worker/parts/*", []string{"config", "internal/backend/*", "internal/lib/mail", "internal/lib/mail/*", "internal/toolbox", "internal/toolbox/*", "tool"}, "a part is linked by those who pass it, and links no other part"},
	{"cmd/*", anything, "a command is where everything is wired together"},

	{"internal/execution", []string{"internal/engine", "internal/lib/reason", "internal/schema", "internal/telemetry", "tool"}, "the life of a delivery must run without NATS; queue and stores are interfaces of its own"},
	{"internal/app/worker", []string{"config", "internal/*", "tool"}, "it puts a worker process together, and no part of it knows the process"},
	{"internal/canon", nil, "it reads bytes"},
	{"internal/schema", []string{"internal/canon"}, "validation is about JSON, not about tools or transports"},
	{"internal/engine", []string{"internal/lib/backoff", "internal/lib/redact", "internal/schema", "tool"}, "the pipeline must run without NATS; its stages own their interfaces"},
	{"internal/catalog", []string{"tool"}, "a catalogue lists definitions, wherever they come from"},
	{"internal/subject", nil, "it reads texts"},
	{"internal/contextfile", nil, "it reads files of the nats command"},
	{"internal/natsio", []string{"internal/contextfile", "internal/subject"}, "it is the connection to NATS, and knows nothing of calls, consents or the audit trail"},
	{"internal/queue", []string{"config", "internal/canon", "internal/device", "internal/natsio", "internal/subject", "tool"}, "it carries calls and knows nothing of their callers and workers"},
	{"internal/gopool", nil, "everyone may import it"},
	{"internal/gctune", nil, "it calls the Go runtime only"},
	{"internal/app", []string{"config", "internal/gctune", "internal/telemetry", "internal/version"}, "it starts a program and does not know what the program serves"},
	{"internal/app/*", anything, "a process is put together there, for its command and for helve up"},
	{"internal/catalogsync", []string{"internal/queue", "internal/natsio", "internal/catalog", "internal/dynamic/store", "tool"}, "it copies the catalogue from and to NATS; the catalogue itself knows no NATS"},
	{"internal/fleet", []string{"internal/queue", "internal/natsio", "tool"}, "it announces and finds workers over NATS, and knows nothing of calls"},
	{"internal/keysync", []string{"internal/queue", "internal/natsio", "internal/token"}, "it copies keys from and to NATS, and signs nothing"},
	{"internal/affinity", []string{"internal/queue", "internal/natsio", "internal/fleet"}, "a binding names an announced worker and is stored on NATS"},
	{"internal/e2e", anything, "it tests all of it"},
	{"internal/e2e/*", anything, "the bench that its tests share"},
	{"internal/pathmodel", nil, "it is a model, and links nothing of what it models"},
	{"internal/faults", anything, "it tests all of it"},
	{"internal/faults/*", anything, "programs for its tests"},
	{"internal/queue/*", []string{"internal/queue", "internal/natsio", "internal/embedded", "internal/testtime", "tool"}, "its test support runs the real queue on the embedded server"},
	{"internal/device", nil, "it measures a directory and knows nothing else"},
	{"internal/embedded", []string{"internal/device"}, "it is a NATS server in the process and nothing else"},
	{"internal/dispatch", []string{"internal/affinity", "internal/queue", "internal/consent/preview", "internal/consent/store", "internal/natsio", "internal/catalog", "internal/fleet", "internal/identity", "internal/lib/reason", "internal/schema", "internal/telemetry", "internal/upstream/approvals", "tool"}, "it reaches workers only through NATS"},
	{"internal/api", apiMay, "operations stand on the dispatcher, never on a worker"},
	{"internal/api/*", apiMay, "a transport is a thin adapter of the operations"},
	{"internal/api/mcp", []string{"internal/identity", "internal/provider", "internal/schema", "tool"}, "it stands on a platform of its own interface, in a dispatcher or a client"},
	{"internal/api/asyncapi", append([]string{"internal/audit/stream", "internal/consent/store"}, apiMay...), "it describes the subjects from the packages that build them"},
	{"internal/api/httpapi", append([]string{"internal/api/openapi", "internal/signin"}, apiMay...), "a transport is a thin adapter of the operations; this one also says what they are, and has the cookies of browsers"},
	{"internal/api/openapi", []string{"internal/api", "internal/audit", "internal/queue", "internal/catalog", "internal/consent", "internal/dynamic/store", "internal/upstream/approvals", "tool"}, "it describes the operations by their types and serves none"},
	{"internal/identity", nil, "who asks is known before anything is"},
	{"internal/provider", []string{"internal/schema", "tool"}, "how a model provider writes things is a question of JSON, whoever asks"},
	{"internal/provider/sdktest", nil, "it has tests only, which may import what they like"},
	{"internal/natsauth", []string{"internal/api", "internal/queue", "internal/natsio", "internal/identity", "tool"}, "permissions on subjects follow from who may ask for what"},
	{"internal/policy", []string{"tool"}, "a decision rests on the call and the rules, on nothing that runs"},
	{"internal/token", []string{"internal/scope", "tool"}, "a token says what it says, whoever reads it"},
	{"internal/scope", []string{"tool"}, "what is within reach is a question of names"},
	{"docs/tools", nil, "pages are embedded as they are"},
	{"internal/dashboards", nil, "it writes JSON for another program"},
	{"internal/telemetry/alerttest", anything, "it has tests only, over whole processes"},
	{"internal/expiry", []string{"config", "internal/contextfile"}, "it reads the files that a configuration names"},
	{"internal/ratelimit", nil, "it counts over a store of its own interface"},
	{"internal/keyfile", []string{"internal/secretfile"}, "a key is a file"},
	{"internal/vault", []string{"internal/secretfile"}, "it encrypts, and knows nothing of who stores or reads"},
	{"internal/oauth", []string{"tool"}, "it is the client's side of a protocol, and keeps nothing"},
	{"internal/signin", []string{"internal/identity", "internal/natsio", "internal/oauth"}, "it keeps sessions on a dispatcher, and does not know which requests they count for"},
	{"internal/history", []string{"internal/lib/latency"}, "it counts what it is given, wherever that comes from"},
	{"internal/console", nil, "it serves files, and knows nothing of what they ask for"},
	{"internal/oauth/oauthtest", nil, "it is a provider for tests"},
	{"internal/connect", []string{"internal/natsio", "internal/oauth", "internal/queue", "internal/services", "internal/vault", "tool"}, "it connects accounts on a dispatcher, and knows neither consents nor HTTP"},
	{"internal/services", []string{"internal/natsio", "internal/oauth", "internal/vault", "tool"}, "it keeps entries over a bucket, for dispatchers and workers alike, and knows no tool"},
	{"internal/secretfile", nil, "it looks at a file"},
	{"internal/filetransfer", []string{"internal/lib/mediatype", "internal/queue", "tool"}, "it serves files of a workspace to whoever asks, over any transport"},
	{"internal/audit", []string{"internal/audit/proof", "internal/audit/scan", "tool"}, "records and proofs must be checked without the platform"},
	{"internal/audit/scan", nil, "it reads bytes"},
	{"internal/audit/proof", []string{"protocol"}, "it reads and writes bytes with keys that it is given"},
	{"internal/audit/index", []string{"internal/audit", "internal/audit/scan", "tool"}, "it copies records into SQL, wherever they come from"},
	{"internal/audit/stream", []string{"internal/queue", "internal/natsio", "internal/subject", "tool"}, "it stores records, blocks and seals, and checks none, so that package audit can be tested over it"},
	{"internal/audit/trail", []string{"internal/audit", "internal/audit/proof", "internal/audit/stream", "internal/queue", "internal/natsio", "internal/telemetry", "tool"}, "it writes records, over their storage"},
	{"internal/consent/preview", nil, "what a person is shown follows from the arguments alone"},
	{"internal/consent/store", []string{"internal/queue", "internal/natsio", "internal/subject"}, "it stores what consents need, and judges nothing"},
	{"internal/consent", []string{"internal/audit", "internal/queue", "internal/consent/store", "internal/natsio", "internal/identity", "internal/lib/reason", "internal/schema", "internal/telemetry", "internal/token", "internal/audit/trail", "tool"}, "it asks people and carries out their verdicts, over NATS"},
	{"internal/callback", []string{"internal/failpoint", "internal/natsio", "internal/queue", "internal/telemetry", "internal/vault", "internal/version", "tool"}, "it sends stored results through the guard that it is given, and knows no dispatcher"},
	{"internal/schedule", []string{"internal/dispatch", "internal/natsio", "internal/policy", "internal/queue", "internal/subject", "tool"}, "it makes calls through the dispatcher, and reads tasks only through workers"},
	{"internal/gate", []string{"internal/audit", "internal/queue", "internal/consent", "internal/consent/*", "internal/engine", "internal/policy", "internal/schema", "internal/scope", "internal/telemetry", "internal/token", "tool"}, "it is where a worker decides; it runs nothing itself"},
	{"internal/js", []string{"tool"}, "a script reaches the world through the ports of its call"},
	{"internal/js/manifest", []string{"internal/schema", "internal/scope", "tool"}, "a manifest is read without its script"},
	{"internal/js/typings", nil, "it is a text"},
	{"internal/js/library", []string{"internal/js", "internal/js/manifest", "internal/schema", "tool"}, "it makes tools of files and does not know who offers them"},
	{"internal/sandbox", []string{"internal/helperbin", "internal/confine", "internal/dynamic/permission", "internal/js", "internal/sandbox/*", "tool"}, "the sandbox runs scripts and has no notion of calls"},
	{"internal/sandbox/*", []string{"internal/confine", "internal/js", "internal/sandbox", "internal/sandbox/*", "tool"}, "a part of the sandbox, or a program for its tests"},
	{"internal/sandbox/child", []string{"internal/confine", "internal/js", "internal/sandbox/wire", "tool"}, "a child waits until all that it links is set up, so it links little and no logger"},
	{"internal/sandbox/child/autoexec", []string{"internal/sandbox/child"}, "it is that child, and is initialized early"},
	{"internal/sandbox/sandboxtest", []string{"internal/childtest", "internal/sandbox/child"}, "it builds a child for tests"},
	{"internal/confine", nil, "what confines a process is read without the platform"},
	{"internal/confine/testprog", []string{"internal/confine"}, "it is the program that its tests confine"},
	{"internal/helperbin", nil, "it looks at files"},
	{"internal/childtest", nil, "it builds programs, whichever"},
	{"internal/dynamic/store", []string{"tool"}, "it keeps tools over a bucket of its own interface, and runs none, so that a dispatcher can share one"},
	{"internal/dynamic/permission", []string{"tool"}, "what code may reach is known to workers that run none"},
	{"internal/dynamic", []string{"internal/dynamic/permission", "internal/dynamic/store", "internal/engine", "internal/js", "internal/sandbox", "internal/schema", "tool"}, "it stores and runs tools through interfaces of its own"},
	{"internal/remote", []string{"internal/queue", "internal/natsio", "internal/catalog", "internal/engine", "internal/foreign", "internal/js/manifest", "internal/policy", "internal/schema", "tool"}, "it keeps who runs which tool, over NATS, and makes of that tools the engine can run"},
	{"internal/apidoc", []string{"internal/foreign"}, "it reads documents, and does not know what is made of them"},
	{"internal/apitools", []string{"internal/apidoc", "internal/foreign", "internal/lib/mediatype", "internal/lib/textcase", "internal/upstream/approvals", "tool"}, "it makes tools of documents, over a store and metrics of its own interfaces, and sends requests through the port of the call"},
	{"internal/foreign", []string{"internal/schema"}, "it cleans texts and schemas, of whatever source"},
	{"internal/upstream", []string{"internal/backend/netguard", "internal/backend/programs", "internal/foreign", "internal/policy", "internal/schema", "internal/scope", "internal/upstream/*", "tool"}, "it makes tools of MCP servers, over a store and metrics of its own interfaces"},
	{"internal/toolbox", []string{"config", "internal/backend/workspace", "internal/queue", "internal/catalog", "internal/catalogsync", "internal/engine", "internal/fleet", "internal/policy", "internal/remote", "internal/telemetry", "internal/tracedport", "internal/upstream/approvals", "tool"}, "it holds the tools of a worker, whatever part they are of, and links no part"},
	{"internal/toolbox/javascript", []string{"config", "internal/queue", "internal/natsio", "internal/catalog", "internal/catalogsync", "internal/dynamic", "internal/engine", "internal/js", "internal/js/*", "internal/sandbox", "internal/sandbox/child", "internal/sandbox/child/autoexec", "internal/toolbox", "tool"}, "it is the part that runs scripts, and knows its worker by the host it is given"},
	{"internal/toolbox/mcp", []string{"internal/backend/programs", "internal/backend/programs/launch/autoexec", "internal/queue", "internal/natsio", "internal/catalog", "internal/catalogsync", "internal/toolbox", "internal/upstream", "internal/version", "tool"}, "it is the part that offers the tools of MCP servers, and knows its worker by the host it is given"},
	{"internal/toolbox/openapi", []string{"internal/apitools", "internal/queue", "internal/natsio", "internal/toolbox", "tool"}, "it is the part that offers the operations of API documents, and knows its worker by the host it is given"},
	{"internal/toolbox/store", []string{"config", "internal/backend/store", "internal/backend/workspace", "internal/engine", "internal/personaldata", "internal/queue", "internal/toolbox", "internal/tools/personal/scheduler", "tool"}, "it is the part that keeps personal data, gives a call's share of it to the engine, and a person's whole to operators"},
	{"internal/upstream/wire", []string{"internal/lib/eventstream"}, "messages are bounded whatever they say"},
	{"internal/upstream/approvals", []string{"internal/audit", "internal/queue", "internal/natsio", "tool"}, "what was accepted is known to dispatchers too, which link no MCP server"},
	{"internal/upstream/upstreamtest", nil, "it is a server for tests"},
	{"internal/telemetry", []string{"config", "internal/version", "tool"}, "everything is measured by it, so it depends on nothing that is"},
	{"internal/tracedport", []string{"internal/engine", "internal/scope", "internal/telemetry", "tool"}, "it puts spans around ports, whoever implements them"},
	{"internal/tools", []string{"tool", "internal/tools/*"}, "it only lists the sets"},
	{"internal/tools/network", []string{"tool", "internal/tools/email", "internal/tools/network/*", "internal/tools/webapi"}, "it only lists sets too"},
	{"internal/tools/personal", []string{"tool", "internal/tools/personal/*"}, "it only lists sets too"},
	{"internal/tools/personal/documents", []string{"internal/lib/*", "internal/personaldata", "internal/tools/personal/*", "tool"}, "it brings files of a person into collections of others, by their readers"},
	{"internal/tools/*", []string{"internal/lib/*", "tool"}, "a category touches the world only through the ports of its call and shares nothing with another but libraries"},
	{"internal/backend/services", []string{"internal/scope", "internal/secretfile", "tool"}, "it implements a port over a file that holds secrets"},
	{"internal/backend/netguard/forbidden", []string{"tool"}, "it lists addresses for tests"},
	{"internal/personaldata", []string{"internal/backend/store", "internal/lib/dates", "internal/tools/personal/*", "tool"}, "it writes the documents of the store in the formats of other programs"},
	{"internal/backend/*", []string{"internal/lib/backoff", "internal/lib/mediatype", "internal/scope", "tool"}, "a backend implements a port and does not know who uses it"},
	{"internal/backend/programs", []string{"internal/backend/programs/*", "internal/helperbin", "internal/confine", "internal/scope", "tool"}, "it implements a port, by starting its own binary as a launcher, and reports what a host lacks as the cage does"},
	{"internal/backend/programs/*", []string{"internal/backend/programs/*", "internal/confine", "tool"}, "a launcher is started for every program, so it drags nothing along"},
	{"internal/backend/programs/programstest", []string{"internal/backend/programs/launch", "internal/childtest"}, "it builds a launcher for tests"},
	{"internal/backend/programs/programstest/*", []string{"internal/backend/programs"}, "it is that launcher"},
	{"examples/*", anything, "an example shows what there is"},
	{"internal/docsection", nil, "it edits documents for tests"},
	{"internal/testpostgres", nil, "it makes databases for tests"},
	{"internal/testmutate", nil, "it changes bytes, whatever they are"},
	{"internal/testtime", nil, "it reads a flag of the test binary"},
	{"internal/modeltest", nil, "it plays a provider, whoever talks to it"},
	{"internal/bench", anything, "it measures all of it"},
	{"internal/bench/*", anything, "parts of it that link no engine it compares with"},
	{"internal/cli", []string{"client", "client/*", "config", "docs/tools", "internal/api/mcp", "internal/audit", "internal/keyfile", "internal/provider", "internal/token", "internal/top", "internal/version", "tool"}, "a command line is one more client, which can check an export, and pass tools on, by itself"},
	{"internal/top", []string{"client"}, "the live view is one more client"},
	{"internal/syscheck", []string{"internal/queue", "internal/natsio", "internal/fleet", "internal/device", "protocol"}, "it examines what is on NATS and on this host, and changes nothing"},
	{"internal/lib/*", []string{"internal/lib/*"}, "it promises something about values and knows nothing of Helve"},
	{"internal/lib/archive", failing, "its errors are those of a tool, which agents read"},
	{"internal/lib/batch", failing, "its errors are those of a tool, which agents read"},
	{"internal/lib/bounded", failing, "its errors are those of a tool, which agents read"},
	{"internal/lib/calc", failing, "its errors are those of a tool, which agents read"},
	{"internal/lib/codec", failing, "its errors are those of a tool, which agents read"},
	{"internal/lib/csvtab", failing, "its errors are those of a tool, which agents read"},
	{"internal/lib/dates", failing, "its errors are those of a tool, which agents read"},
	{"internal/lib/llm", []string{"internal/lib/*", "internal/schema", "tool"}, "answers of a model are held to a schema by the rules for arguments of a tool"},
	{"internal/lib/mail", failing, "its errors are those of a tool, which agents read"},
	{"internal/lib/mail/*", failing, "its errors are those of a tool, which agents read"},
	{"internal/lib/money", failing, "its errors are those of a tool, which agents read"},
	{"internal/lib/office", failing, "its errors are those of a tool, which agents read"},
	{"internal/lib/openai", failing, "its errors are those of a tool, which agents read"},
	{"internal/lib/outward", failing, "its errors are those of a tool, which agents read"},
	{"internal/lib/pdftext", failing, "its errors are those of a tool, which agents read"},
	{"internal/lib/pdftext/pdftest", nil, "it makes documents for tests"},
	{"internal/lib/entry", failing, "its errors are those of a tool, which agents read"},
	{"internal/lib/jsonvalue", failing, "its errors are those of a tool, which agents read"},
	{"internal/lib/listing", failing, "it reads collections of the store"},
	{"internal/lib/markdown", failing, "its errors are those of a tool, which agents read"},
	{"internal/lib/recurrence", failing, "its errors are those of a tool, which agents read"},
	{"internal/lib/regex", failing, "its errors are those of a tool, which agents read"},
	{"internal/lib/sample", failing, "its errors are those of a tool, which agents read"},
	{"internal/lib/timelimit", failing, "its errors are those of a tool, which agents read"},
	{"internal/lib/units", failing, "its errors are those of a tool, which agents read"},
	{"internal/lib/jsonwalk", nil, "everyone may import it"},
	{"internal/lib/nearest", nil, "everyone may import it"},
	{"internal/lib/textcut", nil, "everyone may import it"},
	{"internal/lib/timetable", nil, "it reads texts; its errors are sentences, which a tool makes its own"},
	{"internal/version", nil, "every part reports it"},
	{"internal/failpoint", nil, "everything may import it"},
	{"internal/archtest", nil, "it reads sources, it links none"},
}

var apiMay = []string{
	"internal/api", "internal/audit", "internal/queue", "internal/natsio", "internal/catalog", "internal/consent", "internal/dispatch", "internal/dynamic/store", "internal/fleet", "internal/identity",
	"internal/provider", "internal/remote", "internal/schema", "internal/scope", "internal/telemetry", "internal/upstream/approvals", "tool",
}

// find returns the row of pkg: the row that names it, otherwise the row with the
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

// brokenImports compares our own imports, without tests, with rows.
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

// TestLibraries breaks each rule on libraries once.
func TestLibraries(t *testing.T) {
	for _, tt := range []struct {
		file, imports string
		broken        bool
	}{
		{"internal/lib/textcase/x.go", "internal/lib/textcount", false},
		{"internal/lib/textcase/x.go", "tool", true},
		{"internal/lib/textcase/x.go", "internal/schema", true},
		{"internal/lib/units/x.go", "tool", false},
		{"internal/lib/units/x.go", "internal/tools/utilities", true},
		{"internal/lib/jsonwalk/x.go", "internal/lib/textcase", true},
		{"internal/lib/nearest/x.go", "tool", true},
		{"internal/lib/textcut/x.go", "internal/lib/grapheme", true},
		{"internal/lib/new/x.go", "internal/queue", true},
		{"internal/tools/utilities/x.go", "internal/lib/units", false},
		{"internal/tools/utilities/x.go", "internal/tools/git", true},
		{"internal/engine/x.go", "internal/lib/textcut", false},
		{"internal/execution/x.go", "internal/engine", false},
		{"internal/execution/x.go", "internal/queue", true},
		{"internal/execution/x.go", "internal/app/worker", true},
		{"worker/x.go", "internal/app/worker", false},
		{"worker/x.go", "internal/execution", true},
		{"internal/app/worker/x.go", "internal/execution", false},
		{"internal/engine/x.go", "internal/lib/units", true},
	} {
		text := fmt.Sprintf("package x\n\nimport _ %q\n", module+"/"+tt.imports)
		if got := brokenImports(table, []source{parse(t, tt.file, text)}); (len(got) > 0) != tt.broken {
			t.Errorf("%s importing %s = %q, want broken %v", tt.file, tt.imports, got, tt.broken)
		}
	}
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
		{"a/x.go", module + "/protocol", false},
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
