package archtest

import (
	"slices"
	"strings"
)

// row lists the packages of ours that a package may import. In both columns "x/*" is
// package x and all below it. There is a row for each room of internal, and one for each
// package that promises more than its room.
type row struct {
	pkg string
	may []string
	why string
}

// everyone lists packages that any package may import without naming them. They import
// no package of ours.
var everyone = []string{
	"protocol", "internal/x/failpoint", "internal/x/gopool", "internal/lib/jsonwalk", "internal/lib/nearest", "internal/lib/textcut",
}

var anything = []string{"*"}

var table = slices.Concat(public, rooms, promising, libraries)

var public = []row{
	{"protocol", nil, "every program that speaks to Helve shares it, so it drags nothing along"},
	{"tool", nil, "it is the contract other teams write tools against, so it drags nothing along"},
	{"tool/tooltest", []string{"internal/jsonx/schema", "internal/ports/store", "internal/test/testpostgres", "tool"},
		"it tests a tool as the engine would call it, over the real store, and nothing more of the platform"},
	{"config", nil, "a setting is data; whoever obeys it reads it"},
	{"client", []string{"internal/lib/eventstream", "tool"}, "front ends embed it and must not link the platform"},
	{"client/chat", []string{"client", "internal/lib/eventstream", "tool"},
		"front ends embed it too; it knows providers and neither the platform nor their SDKs"},
	{"worker", []string{"config", "internal/app", "internal/app/worker", "internal/telemetry", "internal/toolbox", "tool"},
		"it is the public face of a worker, and holds nothing that runs one"},
	{"worker/parts", []string{"internal/toolbox", "worker/parts/*"}, "it only lists the parts"},
	{"worker/parts/*", []string{"config", "internal/lib/mail/*", "internal/ports/*", "internal/toolbox/*", "tool"},
		"a part is linked by those who pass it, and links no other part"},
	{"cmd/*", anything, "a command is where everything is wired together"},
	{"docs/tools", nil, "pages are embedded as they are"},
	{"examples/*", anything, "an example shows what there is"},
}

var rooms = []row{
	{"internal/accounts/*", []string{"internal/accounts/*", "internal/bus/*", "internal/identity/vault", "tool"},
		"it keeps and connects accounts over buckets, and knows neither consents nor HTTP"},
	{"internal/app/*", anything, "a process is put together there, for its command and for helve up"},
	{"internal/audit/*", []string{"internal/audit/*", "internal/bus/*", "internal/telemetry", "tool"},
		"it writes, seals and finds records, whatever they are of"},
	{"internal/bus/*", []string{"config", "internal/bus/*", "internal/call", "internal/jsonx/canon", "internal/x/*", "tool"},
		"it carries calls, and knows nothing of their callers and workers"},
	{"internal/call", []string{"internal/bus/subject", "internal/jsonx/canon", "tool"},
		"every part of a call's way reads it, so it has the message and its codec, and nothing that acts"},
	{"internal/cli/*", []string{
		"client/*", "config", "docs/tools", "internal/audit", "internal/cli/*", "internal/consent/difference", "internal/identity/*",
		"internal/lib/tsdecl", "internal/provider", "internal/server/mcp", "internal/x/*", "tool",
	}, "a command line is one more client, which can check an export, pass tools on, and write a difference or a declaration, by itself"},
	{"internal/consent/*", []string{
		"internal/audit/*", "internal/bus/*", "internal/call", "internal/consent/*", "internal/identity/*", "internal/jsonx/*",
		"internal/lib/reason", "internal/lib/textdiff", "internal/telemetry", "tool",
	}, "it asks people and carries out their verdicts, over NATS"},
	{"internal/dispatch/*", []string{
		"internal/bus/*", "internal/call", "internal/consent/preview", "internal/consent/store", "internal/dispatch/*", "internal/fleet/*",
		"internal/identity/*", "internal/jsonx/*", "internal/lib/reason", "internal/policy", "internal/telemetry",
		"internal/toolbox/upstream/approvals", "internal/x/*", "tool",
	}, "it reaches workers only through NATS"},
	{"internal/durable", []string{"internal/call", "tool"}, "it is a program as data, and its model"},
	{"internal/engine/*", []string{
		"internal/consent/*", "internal/engine", "internal/identity/token", "internal/jsonx/*", "internal/policy/*", "tool",
	}, "it is where a worker decides about a call and runs it"},
	{"internal/execution", []string{"internal/call", "internal/engine", "internal/jsonx/*", "internal/lib/reason", "internal/telemetry", "tool"},
		"the life of a delivery must run without NATS; queue and stores are interfaces of its own"},
	{"internal/fleet/*", []string{
		"internal/bus/*", "internal/call", "internal/durable", "internal/fleet/*", "internal/lib/latency", "internal/toolbox/dynamic/store", "tool",
	}, "it announces and finds workers and their tools over NATS, and runs no calls"},
	{"internal/identity/*", []string{"config", "internal/bus/*", "internal/identity/*", "internal/policy/scope", "tool"},
		"a caller and its keys are known before a call is read"},
	{"internal/jsonx/*", []string{"internal/jsonx/*"}, "it is about JSON, not about tools or transports"},
	{"internal/personaldata", []string{"internal/lib/dates", "internal/ports/store", "internal/tools/personal/*", "tool"},
		"it writes the documents of the store in the formats of other programs"},
	{"internal/policy/*", []string{"internal/policy/*", "tool"}, "a decision rests on the call and the rules, on nothing that runs"},
	{"internal/ports/*", []string{"internal/lib/backoff", "internal/lib/mediatype", "internal/policy/scope", "tool"},
		"it implements a port and does not know who uses it"},
	{"internal/provider/*", []string{"internal/jsonx/*", "tool"}, "how a model provider writes things is a question of JSON, whoever asks"},
	{"internal/server/*", []string{
		"internal/accounts/oauth", "internal/audit/*", "internal/bus/*", "internal/call", "internal/consent/*", "internal/dispatch",
		"internal/dispatch/program", "internal/fleet/*", "internal/identity", "internal/jsonx/*", "internal/policy/scope", "internal/provider",
		"internal/server/*", "internal/telemetry",
		"internal/toolbox/dynamic/store", "internal/toolbox/remote", "internal/toolbox/upstream/approvals", "tool",
	}, "operations and their doors stand on the dispatcher, never on a worker"},
	{"internal/telemetry/*", []string{"config", "internal/bus/*", "internal/fleet", "internal/telemetry/*", "internal/x/*", "tool"},
		"it measures and examines, and changes nothing"},
	{"internal/test/*", anything, "it tests all of it"},
	{"internal/toolbox/*", []string{
		"config", "internal/bus/*", "internal/durable", "internal/engine", "internal/fleet/*", "internal/jsonx/*",
		"internal/lib/eventstream", "internal/lib/mediatype", "internal/lib/textcase", "internal/personaldata", "internal/policy/*", "internal/ports/*",
		"internal/toolbox/*", "internal/tools/personal/scheduler", "internal/x/*", "tool",
	}, "a source of tools knows its worker by the host that it is given"},
	{"internal/tools/*", []string{"internal/lib/*", "tool"},
		"a category touches the world only through the ports of its call and shares nothing with another but libraries"},
	{"internal/x/*", nil, "it is a leaf"},
}

var promising = []row{
	{"internal/accounts/oauth/*", []string{"tool"}, "it is the client's side of a protocol, and keeps nothing"},
	{
		"internal/app", []string{"config", "internal/telemetry", "internal/x/*"}, "it starts a program and does not know what the program serves",
	},
	{
		"internal/audit", []string{"internal/audit/proof", "internal/audit/scan", "tool"},
		"records and proofs must be checked without the platform",
	},
	{"internal/audit/index", []string{"internal/audit", "internal/audit/scan", "tool"}, "it copies records into SQL, wherever they come from"},
	{"internal/audit/keep", []string{
		"internal/audit", "internal/audit/scan", "internal/audit/stream", "internal/bus/kept", "internal/identity/vault", "internal/telemetry",
	}, "it packs and finds calls by what it is given, and knows neither tools nor callers"},
	{"internal/audit/proof", nil, "it reads and writes bytes with keys that it is given"},
	{"internal/audit/scan", nil, "it reads bytes"},
	{"internal/audit/stream", []string{"internal/bus/*", "tool"},
		"it stores records, blocks and seals, and checks none, so that package audit can be tested over it"},
	{"internal/bus/callbacks", []string{"internal/bus/natsio", "internal/bus/queue", "internal/bus/streams", "internal/bus/subject"},
		"it stores callbacks, and sends none"},
	{"internal/bus/deadletters", []string{"internal/bus/natsio", "internal/bus/queue", "internal/bus/streams", "internal/call"},
		"it reads and requeues what no worker could read, and sets nothing aside"},
	{"internal/bus/embedded", []string{"internal/x/device"}, "it is a NATS server in the process and nothing else"},
	{"internal/bus/events", []string{"internal/bus/natsio", "internal/bus/subject", "internal/call"},
		"it publishes and replays events, and stores nothing"},
	{"internal/bus/inspect", []string{"internal/bus/natsio", "internal/bus/streams", "internal/bus/subject", "internal/call"},
		"it reads what is in the queue, and knows neither producers nor consumers"},
	{"internal/bus/kept", []string{"internal/bus/natsio", "internal/bus/streams", "internal/bus/subject"},
		"it stores blocks of calls, and knows nothing of what is in one"},
	{"internal/bus/natsio", []string{"internal/bus/contextfile", "internal/bus/subject"},
		"it is the connection to NATS, and knows nothing of calls, consents or the audit trail"},
	{"internal/bus/peer", []string{"internal/bus/natsio", "internal/bus/subject", "internal/call", "tool"},
		"it carries requests between processes, and knows nothing of streams"},
	{"internal/bus/programs", []string{
		"internal/bus/natsio", "internal/bus/queue", "internal/bus/streams", "internal/bus/subject", "internal/durable",
	}, "it stores programs and their journals, and runs none"},
	{"internal/bus/queue/*", []string{"internal/bus/*", "internal/test/testtime", "tool"},
		"its test support runs the real queue on the embedded server"},
	{"internal/bus/queue", []string{
		"config", "internal/bus/events", "internal/bus/inspect", "internal/bus/natsio", "internal/bus/peer", "internal/bus/streams",
		"internal/bus/subject", "internal/bus/timers", "internal/call", "tool",
	}, "it carries calls and knows nothing of their callers and workers"},
	{"internal/bus/streams", []string{"internal/bus/natsio", "internal/bus/subject", "internal/x/device"},
		"it keeps streams as they must be, and knows nothing of what is in them"},
	{"internal/bus/timers", []string{"internal/bus/natsio", "internal/bus/streams", "internal/bus/subject"},
		"it sets timers and carries requests about tasks, and knows nothing of what is in a task"},
	{"internal/cli/top", []string{"client"}, "the live view is one more client"},
	{"internal/consent/preview", nil, "what a person is shown follows from the arguments alone"},
	{"internal/consent/sentence", nil, "the words for a call follow from what a person is shown of it"},
	{"internal/consent/store", []string{"internal/bus/*", "internal/call"}, "it stores what consents need, and judges nothing"},
	{"internal/dispatch/program", []string{
		"internal/bus/*", "internal/call", "internal/consent/preview", "internal/dispatch", "internal/durable", "internal/fleet/catalog", "internal/identity",
		"internal/policy", "internal/telemetry", "internal/x/*", "tool",
	}, "it is the dispatchers' side of programs, whose steps it makes as any caller would"},
	{"internal/dispatch/callback", []string{"internal/bus/*", "internal/identity/vault", "internal/telemetry", "internal/x/*", "tool"},
		"it sends stored results through the guard that it is given, and knows no dispatcher"},
	{"internal/engine", []string{"internal/jsonx/schema", "internal/lib/backoff", "internal/lib/redact", "tool"},
		"the pipeline must run without NATS; its stages own their interfaces"},
	{"internal/engine/calllog", []string{
		"internal/bus/queue", "internal/engine", "internal/lib/latency", "internal/lib/reason", "internal/telemetry", "tool",
	}, "the engine reports each call, and does not know what is measured"},
	{"internal/engine/nested", []string{
		"internal/engine", "internal/execution", "internal/policy", "internal/telemetry", "internal/toolbox/dynamic/permission", "tool",
	}, "a nested call ends within its outer call, so its record is stored as that of a delivery is"},
	{"internal/execution/adapters", []string{
		"internal/audit/*", "internal/bus/*", "internal/call", "internal/consent/*", "internal/engine", "internal/execution",
		"internal/fleet/*", "tool",
	}, "it joins an execution that knows no NATS and a queue that knows no execution"},
	{"internal/fleet/catalog", []string{"internal/durable", "tool"}, "a catalogue lists definitions, wherever they come from"},
	{"internal/fleet/history", []string{"internal/lib/latency"}, "it counts what it is given, wherever that comes from"},
	{"internal/fleet/promhistory", []string{"internal/bus/queue"}, "it reads one server of the operator, and counts nothing itself"},
	{"internal/fleet/member", []string{
		"internal/bus/*", "internal/engine", "internal/fleet/*", "internal/identity/token", "internal/x/version", "tool",
	}, "it is on the worker, where the engine asks it which calls may run"},
	{"internal/identity", nil, "the caller is known before a call is read"},
	{"internal/identity/token", []string{"internal/policy/scope", "tool"}, "a token says what it says, whoever reads it"},
	{"internal/identity/vault", []string{"internal/identity/secretfile"}, "it encrypts, and knows nothing of who stores or reads"},
	{"internal/jsonx/canon", nil, "it reads bytes"},
	{"internal/policy", []string{"tool"}, "a decision rests on the call and the rules, on nothing that runs"},
	{"internal/ports/confine", nil, "what confines a process is read without the platform"},
	{"internal/ports/confine/testprog", []string{"internal/ports/confine"}, "it is the program that its tests confine"},
	{"internal/ports/helperbin", nil, "it looks at files"},
	{"internal/ports/programs", []string{
		"internal/policy/scope", "internal/ports/confine", "internal/ports/helperbin", "internal/ports/programs/*", "tool",
	}, "it implements a port, by starting its own binary as a launcher, and reports what a host lacks as the cage does"},
	{"internal/ports/programs/*", []string{"internal/ports/confine", "internal/ports/programs/*", "tool"},
		"a launcher is started for every program, so it drags nothing along"},
	{"internal/ports/programs/programstest/*", []string{"internal/ports/programs/*", "internal/test/childtest", "internal/test/testtime"},
		"it builds a launcher for tests"},
	{"internal/ports/services", []string{"internal/identity/secretfile", "internal/policy/scope", "tool"},
		"it implements a port over a file that holds secrets"},
	{"internal/ports/tracedport", []string{"internal/engine", "internal/policy/scope", "internal/telemetry", "tool"},
		"it puts spans around ports, whoever implements them"},
	{"internal/server/accounts", []string{
		"internal/accounts/*", "internal/audit/trail", "internal/bus/*", "internal/consent", "internal/identity/*", "internal/server/api",
		"internal/server/data", "internal/telemetry/syscheck", "tool",
	}, "its operations are about accounts and consents together, which do not know each other"},
	{"internal/server/audits", []string{
		"config", "internal/audit/*", "internal/bus/*", "internal/dispatch/results", "internal/identity/*", "internal/server/api",
		"internal/server/calls", "internal/telemetry/*",
	}, "it seals and answers for one process, and finds stored results for the dispatcher by the same index"},
	{"internal/server/changes", []string{
		"internal/audit/trail", "internal/identity", "internal/server/api", "internal/server/signin", "internal/toolbox/dynamic/store", "tool",
	}, "it records a change and has it made, whoever stores it"},
	{"internal/server/console", nil, "it serves files, and knows nothing of what they ask for"},
	{"internal/server/data", []string{
		"internal/audit/*", "internal/bus/*", "internal/fleet/*", "internal/identity", "internal/server/api", "tool",
	}, "workers hold what it is asked for, and it reaches them through NATS"},
	{"internal/server/filetransfer", []string{"internal/bus/*", "internal/lib/mediatype", "tool"},
		"it serves files of a workspace to whoever asks, over any transport"},
	{"internal/server/mcp/*", []string{
		"internal/consent/difference", "internal/identity", "internal/jsonx/schema", "internal/provider", "internal/server/mcp/*", "tool",
	},
		"it stands on a platform of its own interface, in a dispatcher or a client"},
	{"internal/server/mcpapi", []string{
		"internal/dispatch", "internal/identity", "internal/policy", "internal/provider", "internal/server/api", "internal/server/mcp",
		"internal/telemetry", "tool",
	}, "the server for MCP clients knows no operations, and the operations know no client"},
	{"internal/server/push", []string{
		"internal/bus/natsio", "internal/bus/queue", "internal/consent/sentence", "internal/consent/store", "internal/identity/vault",
		"internal/server/api", "internal/telemetry", "tool",
	}, "it sends requests to people's devices, and decides nothing"},
	{"internal/server/workers", []string{
		"internal/audit/trail", "internal/bus/*", "internal/consent", "internal/fleet/*", "internal/identity/token", "internal/telemetry",
	}, "it follows workers and signs the orders to them, and serves no operation itself"},
	{"internal/telemetry", []string{"config", "internal/x/version", "tool"}, "everything is measured by it, so it depends on nothing that is"},
	{"internal/telemetry/dashboards", nil, "it writes JSON for another program"},
	{"internal/test/archtest", nil, "it reads sources, it links none"},
	{"internal/test/pathmodel", nil, "it is a model, and links nothing of what it models"},
	{"internal/toolbox", []string{
		"config", "internal/bus/peer", "internal/bus/queue", "internal/bus/timers", "internal/engine", "internal/fleet/*", "internal/policy/*",
		"internal/ports/tracedport", "internal/ports/workspace", "internal/telemetry", "internal/toolbox/remote", "internal/toolbox/upstream/approvals", "tool",
	}, "it holds the tools of a worker, whatever part they are of, and links no part"},
	{"internal/toolbox/apidoc", []string{"internal/toolbox/foreign"}, "it reads documents, and does not know what is made of them"},
	{"internal/toolbox/dynamic/permission", []string{"tool"}, "what code may reach is known to workers that run none"},
	{"internal/toolbox/dynamic/store", []string{"tool"},
		"it keeps tools over a bucket of its own interface, and runs none, so that a dispatcher can share one"},
	{"internal/toolbox/foreign", []string{"internal/jsonx/schema"}, "it cleans texts and schemas, of whatever source"},
	{"internal/toolbox/js", []string{"tool"}, "a script reaches the world through the ports of its call"},
	{
		"internal/toolbox/js/manifest", []string{"internal/durable", "internal/jsonx/schema", "internal/policy/scope", "tool"},
		"a manifest is read without its script",
	},
	{"internal/toolbox/personal", []string{"internal/bus/*", "internal/engine/gate", "internal/toolbox", "tool"},
		"it answers for the parts of a worker, and has the gate explain its decisions"},
	{"internal/toolbox/sandbox/*", []string{
		"internal/ports/confine", "internal/ports/helperbin", "internal/test/childtest", "internal/toolbox/dynamic/permission",
		"internal/toolbox/js", "internal/toolbox/sandbox/*", "tool",
	}, "the sandbox runs scripts and has no notion of calls"},
	{"internal/toolbox/sandbox/child", []string{"internal/ports/confine", "internal/toolbox/js", "internal/toolbox/sandbox/wire", "tool"},
		"a child waits until all that it links is set up, so it links little and no logger"},
	{"internal/toolbox/sandbox/child/autoexec", []string{"internal/toolbox/sandbox/child"}, "it is that child, and is initialized early"},
	{"internal/toolbox/upstream/approvals", []string{"internal/bus/*", "tool"},
		"what was accepted is known to dispatchers too, which link no MCP server"},
	{"internal/tools", []string{"internal/tools/*", "tool"}, "it only lists the sets"},
	{"internal/tools/network", []string{"internal/tools/email", "internal/tools/network/*", "internal/tools/webapi", "tool"},
		"it only lists sets too"},
	{"internal/tools/personal", []string{"internal/tools/personal/*", "tool"}, "it only lists sets too"},
	{"internal/tools/utilities", []string{"internal/lib/*", "internal/tools/utilities/*", "tool"},
		"it lists the sets of its category beside its own tools"},
	{"internal/tools/personal/documents", []string{"internal/lib/*", "internal/personaldata", "internal/tools/personal/*", "tool"},
		"it brings files of a person into collections of others, by their readers"},
}

var libraries = slices.Concat([]row{
	{"internal/lib/*", []string{"internal/lib/*"}, "it promises something about values and knows nothing of Helve"},
	{"internal/lib/llm", []string{"internal/jsonx/schema", "internal/lib/*", "tool"},
		"answers of a model are held to a schema by the rules for arguments of a tool"},
	{"internal/lib/jsonwalk", nil, "everyone may import it"},
	{"internal/lib/nearest", nil, "everyone may import it"},
	{"internal/lib/textcut", nil, "everyone may import it"},
}, failing(
	"archive", "batch", "bounded", "calc", "codec", "csvtab", "dates", "entry", "jsonvalue", "listing", "mail/*", "markdown",
	"money", "office",
	"openai", "outward", "pdftext", "recurrence", "regex", "sample", "timelimit", "units",
))

// failing has a row for each of the named libraries: their errors are those of a tool, which agents read.
func failing(names ...string) []row {
	var rows []row
	for _, name := range names {
		rows = append(rows, row{"internal/lib/" + name, []string{"internal/lib/*", "tool"}, "its errors are those of a tool, which agents read"})
	}
	return rows
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
	return pattern == pkg || below && (pkg == tree || strings.HasPrefix(pkg, tree+"/"))
}
