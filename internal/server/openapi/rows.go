package openapi

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/protocol"
)

// row describes an operation's request and answer.
type row struct {
	summary, more string
	// body and answer are values of the types; a nil answer means any JSON.
	body, answer any
	// gives describes the answer in a sentence; kind is its media type, JSON if empty.
	gives, kind string
	// takes is the media type of a body that is not JSON.
	takes string
	// done are the statuses of success without a body; they take the place of 200 unless
	// the row has an answer too.
	done map[int]string
	// fails are the failures beyond those of every operation; overload is set if a 503
	// may contain results.
	fails    []int
	overload bool
	// asks and answers are examples, JSON by name.
	asks, answers map[string]string
}

var (
	unknown   = []int{http.StatusNotFound}
	tooLarge  = []int{http.StatusRequestEntityTooLarge, http.StatusConflict}
	fileFails = []int{http.StatusNotFound, http.StatusPreconditionFailed, http.StatusRequestedRangeNotSatisfiable, http.StatusTooManyRequests}
	readable  = []int{http.StatusRequestTimeout, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType}
)

// overHTTP ends the description of an operation that streams.
const overHTTP = "Over NATS it is refused."

var rows = map[string]row{
	api.Execute: {summary: "Run one or more calls", body: ExecuteRequest{}, answer: protocol.ExecuteAnswer{}, fails: readable, overload: true,
		more:  "200 whenever the request itself was understood: each call has its own outcome. A call_id that is sent again never runs twice.",
		gives: "One result element for each call.", asks: executeRequests, answers: executeAnswers},
	api.Me: {summary: "Who the caller is", answer: protocol.Me{},
		gives: "The person, tenant and roles of the credential, or of the session of a browser.",
		more:  "Without authentication the caller holds every role, and authenticated is false."},
	"tools.list": {summary: "List tools", answer: ToolsAnswer{},
		gives: "The tools that a call of that agent, or of no agent, may use, in a steady order.",
		more: "With a provider's format, tools is exactly what that provider's request takes as its tools. " +
			"Without limit and cursor the answer has all of them."},
	"tools.get": {
		summary: "One tool", answer: protocol.ToolDetail{}, gives: "Its definition, and what live workers have of it.", fails: unknown,
	},
	"workers.list": {
		summary: "Live workers", answer: protocol.WorkerList{},
		gives: "The workers that announce themselves, and the lists of tools that they have.",
		more:  "A worker that was killed is gone after 5 s.",
	},
	"calls.list": {summary: "List calls", answer: protocol.CallList{},
		gives: "The calls in the order of their acceptance, the newest first, whatever their state; a person with the role user sees their own.",
		more: "A page has as many calls as its limit if there are as many. A page that would take longer than 5 seconds, or searches a text " +
			"in very many calls, may have fewer, or none, and still a next one. Of a longer queue the newest 5,000 calls are listed. " +
			"Steps of programs that have ended are listed with trace_id only, because there may be 2,000 of each."},
	"programs.list": {summary: "List programs", answer: protocol.Programs{},
		gives: "Programs, the newest first; a person with the role user sees their own, and an agent those that it has run.",
		more:  "A program is listed until seven days after its end. The number of steps of a program that runs is that of its last wait."},
	"programs.get": {summary: "One program", answer: protocol.ProgramDetail{}, fails: unknown,
		gives: "The program with its source, its steps, its log and what it waits for.",
		more: "The input has its secrets hidden and is cut if it is long. Steps of the last seconds may be missing. It is cancelled by " +
			"calls.cancel. A look at a program of somebody else is on the trail."},
	"programs.retry": {
		summary: "Go on with a failed program", answer: protocol.ExecuteAnswer{}, fails: []int{http.StatusNotFound, http.StatusConflict},
		overload: true, gives: "The result element of the call that continues the program.",
		more: "The steps that the program has done keep their outcomes; the step whose error ended it is made again. A program is " +
			"retried by one call: a second request answers with the same one. It is refused if a step may have acted and cannot be " +
			"made twice, and if the error was one of the code's own.",
	},
	"dead.list": {
		summary: "Dead letters", answer: protocol.DeadList{},
		gives: "The queued messages of the tenant that no worker could read, the oldest first.",
	},
	"dead.get": {
		summary: "One dead letter", answer: protocol.DeadLetter{}, gives: "The letter, with what may happen if it is requeued.", fails: unknown,
	},
	"dead.requeue": {
		summary: "Requeue a dead letter",
		body:    protocol.RequeueRequest{}, answer: protocol.DeadLetter{}, gives: "The letter, which is on the queue again.",
		more:  "Of two requests at the same time one is refused. A call that may have had its effect needs force.",
		fails: append([]int{http.StatusNotFound, http.StatusConflict}, readable...), asks: map[string]string{"force": `{"force":true}`},
	},
	"dead.drop": {summary: "Drop a dead letter", answer: protocol.Empty{}, gives: "It is gone.", fails: unknown},
	"system.check": {
		summary: "Examine the system", answer: protocol.CheckReport{}, gives: "A finding for each part, with advice.",
		more: "Only in the tenant default: the system is every tenant's.",
	},
	"system.counts": {
		summary: "Count what waits", answer: protocol.Counts{},
		gives: "How many consents, dead letters, findings and definitions wait, as far as the caller may list them.",
		more:  "Nothing of them is shown, so it is no look that the audit trail records.",
	},
	"metrics.history": {summary: "What the workers did lately", answer: protocol.MetricsHistory{},
		gives: "Series of equal steps, the oldest first: of a minute for 1h, of five for 24h, of thirty for 7d.",
		more: "What workers announce is stored each minute and kept for seven days. The series are those of all tenants. " +
			"The calls of other pools than the 16 with the most calls count in the total only."},
	"tools.stats": {summary: "Count the calls of tools", answer: protocol.ToolStats{},
		gives: "Calls, errors and times of each tool, as the audit trail has them.",
		more:  "Of a long time the newest 2,000 records are counted; complete is false if there are more."},
	"policy.get": {summary: "The rules in force", answer: protocol.PolicyInForce{}, gives: "The rules by which the workers of a pool decide.",
		fails: unknown,
		more:  "Only in the tenant default: the rules are every tenant's."},
	"policy.explain": {summary: "Explain a decision", body: protocol.PolicyQuestion{}, answer: protocol.PolicyExplanation{},
		gives: "How the call would be decided, by which rule, and why. Nothing is run.",
		more: "A worker answers, by the rules that it has now, as helve policy explain does by rules in files. " +
			"Remembered approvals are left out. Without the role auditor or admin it is about calls of one's own, and names no place of a rule.",
		fails: append([]int{http.StatusNotFound}, readable...),
		asks:  map[string]string{"question": `{"tool":"get_current_time","arguments":{"timezone":"UTC"},"agent":"a1"}`}},
	"workers.pause": {summary: "Pause a worker", answer: protocol.WorkersOrdered{},
		gives: "The worker takes no further calls; it finishes its own.", fails: unknown,
		more: "The pause ends with the process of the worker. Calls wait in the queue until their time to start is over. " +
			"Workers run the calls of every tenant, so only admins of the tenant default may order them."},
	"workers.resume": {
		summary: "Resume a worker", answer: protocol.WorkersOrdered{}, gives: "The worker takes calls again.", fails: unknown,
		more: "Only admins of the tenant default may order workers.",
	},
	"workers.drain": {
		summary: "Drain a worker", answer: protocol.WorkersOrdered{}, gives: "The worker finishes its calls and ends with exit code 0.",
		fails: unknown, more: "Its process manager starts it again. Only admins of the tenant default may order workers.",
	},
	"pools.list": {summary: "Pools and their queues", answer: protocol.PoolList{}, gives: "The backlog, workers and slots of each pool."},
	"pools.pause": {
		summary: "Pause a pool", answer: protocol.WorkersOrdered{}, gives: "Its workers take no further calls of it; they finish their own.",
		more: "It also holds for workers that start later, until the pool is resumed. Only admins of the tenant default may order workers.",
	},
	"pools.resume": {
		summary: "Resume a pool",
		answer:  protocol.WorkersOrdered{}, gives: "Its workers take calls again, except those that are paused by themselves.",
		more: "Only admins of the tenant default may order workers.",
	},
	"pools.drain": {
		summary: "Drain the workers of a pool",
		answer:  protocol.WorkersOrdered{}, gives: "Each worker that the pool has now finishes its calls and ends.", fails: unknown,
		more: "Workers that start later take calls. Only admins of the tenant default may order workers.",
	},
	"calls.get": {
		summary: "State and result of a call", answer: protocol.CallDetail{}, gives: "The call as it stands.",
		more: "include names further members. Arguments have their secrets hidden and are cut if they are long; they are absent after the end " +
			"if they are larger than 4 KiB, and before it for a call that was handed to a worker without being queued, or that waits among very " +
			"many. Steps come from the acceptance of the call and from its audit records, as far as those can be read now. With result the call " +
			"is answered after its result has expired, too: as the history keeps it, and later as its final audit record has it; kept names " +
			"the source.",
		fails: unknown, answers: oneResult,
	},
	result: {
		summary: "The bytes of a result", gives: "The JSON value that the call returned, as it is stored.", fails: unknown,
		more: "For a result that did not fit its answer and was named by result_ref.",
	},
	"calls.cancel": {
		summary: "Cancel a call", answer: protocol.Result{}, gives: "The outcome of the call. A call that was already done has its result.",
		fails: unknown,
	},
	api.Events: {summary: "Follow a trace", answer: protocol.Event{}, kind: streamType,
		gives: "Server-sent events. Each has an Event as its data, its type as name, and an id to resume after.",
		more: "The headers come immediately, then the stored events of the trace, at least ten minutes, then new events. " +
			"Comments keep the stream alive."},

	"consent.list": {summary: "What people are asked", answer: protocol.ConsentList{}, gives: "A page of the inbox."},
	"consent.get": {
		summary: "One consent", answer: protocol.Consent{}, gives: "What is asked, and the verdict where there is one.", fails: unknown,
	},
	"consent.decide": {summary: "Decide", body: protocol.DecisionRequest{}, answer: protocol.Consent{}, gives: "The consent with its verdict.",
		more:  "The first verdict is the only one. The agent that asked cannot decide.",
		fails: append([]int{http.StatusNotFound, http.StatusConflict}, readable...),
		asks:  map[string]string{"grant": `{"decision":"grant","remember":"session"}`, "deny": `{"decision":"deny","comment":"not today"}`}},
	"tokens.mint": {
		summary: "Approve a plan ahead of time", body: protocol.MintRequest{}, answer: protocol.MintedToken{}, gives: "A confirm token.",
		fails: append([]int{http.StatusNotFound, http.StatusConflict}, readable...), asks: map[string]string{"plan": mintRequest},
	},
	"grants.list":   {summary: "Decisions that are remembered", answer: protocol.GrantList{}, gives: "All of them."},
	"grants.revoke": {summary: "Revoke a grant", answer: protocol.Empty{}, gives: "The grant is revoked.", fails: unknown},

	"push.key": {summary: "The key for which devices subscribe", answer: protocol.PushKey{},
		gives: "The public key of the installation.", more: "It stays the same as long as the bucket helve_push does."},
	"push.list": {summary: "Devices that are notified", answer: protocol.PushDeviceList{}, gives: "The devices of the caller."},
	"push.subscribe": {summary: "Notify a device", body: protocol.PushSubscription{}, answer: protocol.Empty{},
		gives: "Requests for the caller's consent are sent to the device, in the language of Accept-Language.",
		more: "For the person of the credential only. A person has at most 20 devices; one more replaces the oldest. " +
			"The dispatcher needs the master key.",
		fails: readable,
		asks: map[string]string{"browser": `{"endpoint":"https://push.example/8Gd0","keys":{` +
			`"p256dh":"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",` +
			`"auth":"BTBZMqHH6r4Tts7J_aSIgg"},"user":"ann"}`}},
	"push.unsubscribe": {summary: "Notify a device no longer", answer: protocol.Empty{}, gives: "It is gone.", fails: unknown},
	"audit.query":      {summary: "Records of what happened", answer: protocol.AuditPage{}, gives: "A page of records, oldest first."},
	"audit.verify": {
		summary: "Check the seals of the trail", answer: protocol.AuditReport{}, gives: "Whether the trail matches its seals.",
		more: "A range is extended to the seals that cover its ends; the seals beside it must fit. It proves nothing about the trail elsewhere.",
	},
	"audit.rebuild": {
		summary: "Make the index what the trail is", answer: protocol.RebuiltIndex{},
		gives: "What the index held that the trail does not, or the other way around, before it was rebuilt.",
	},
	"audit.export": {
		summary: "The trail with its seals", answer: protocol.ExportPage{},
		gives: "A page of lines. Each is JSON whose bytes its seal covers, so it is a string here.",
	},
	"audit.public_key": {
		summary: "The key that verifies the seals", answer: "", kind: "application/x-pem-file", gives: "The public key in PEM.",
	},

	"agents.list": {summary: "Records of agents", answer: protocol.AgentList{}, gives: "All records, by name."},
	"agents.get":  {summary: "One agent's record", answer: protocol.Agent{}, gives: "Which tools it may use.", fails: unknown},
	"agents.put": {
		summary: "Say which tools an agent may use", body: protocol.AgentRules{}, answer: protocol.Agent{}, gives: "The record as it is kept.",
		fails: readable, asks: map[string]string{"reader": `{"tools":["read_*"],"groups":[],"deny":[]}`},
	},
	"agents.delete": {
		summary: "Forget an agent's record", answer: protocol.Empty{}, gives: "The agent has the default set again.", fails: unknown,
	},
	"groups.list": {summary: "Groups of tools", answer: protocol.GroupList{}, gives: "All groups, or the one of a tool.", fails: unknown},

	"remote.list": {
		summary: "Processes that run tools in any language", answer: protocol.RemoteList{}, gives: "The live ones of the tenant, by id.",
	},
	"remote.register": {summary: "Offer the tools of a process", body: protocol.RegisterRequest{}, answer: protocol.Registered{},
		gives: "What is offered, and when to send it again.", more: "Calls reach the process over NATS, so it needs a connection there.",
		fails: append([]int{http.StatusConflict}, readable...), asks: map[string]string{"billing": registerRequest}},
	"remote.unregister": {
		summary: "Take a process's tools back", body: protocol.UnregisterRequest{}, answer: protocol.Unregistered{},
		gives: "Whether it was there.", fails: readable, asks: map[string]string{"billing": `{"instance":"billing-1"}`},
	},

	"custom.list": {
		summary: "Custom tools", answer: protocol.CustomToolList{}, gives: "Those of one person, or of everybody, without their code.",
		more: "Roles beyond user see everybody's.",
	},
	"custom.get": {
		summary: "One custom tool", answer: protocol.CustomTool{}, gives: "The tool with its code.", fails: unknown,
		more: "For a person who has none of that name it is the version that is shared. With version it is an older one, if it is kept.",
	},
	"custom.versions": {
		summary: "Versions of a custom tool", answer: protocol.CustomToolVersions{},
		gives: "The newest ten, the newest first, and the shared one, without their code.", fails: unknown,
		more: "A person for whom the tool is another's sees the shared version only. They end with the tool.",
	},
	"custom.share": {summary: "Share a version of a custom tool", body: protocol.ShareRequest{}, answer: protocol.CustomTool{},
		gives: "The tool with the version that everybody has now.",
		more: "Later changes of its owner stay theirs until they are shared. Each person is asked before they first run a version that " +
			"somebody else made and that has permissions.",
		fails: append([]int{http.StatusNotFound, http.StatusConflict}, readable...),
		asks:  map[string]string{"version": `{"owner":"ann","version":3}`}},
	"custom.unshare": {
		summary: "Take a shared custom tool back", answer: protocol.Empty{}, gives: "Only its owner has it now.", fails: unknown,
	},
	"custom.toggle": {
		summary: "Switch a custom tool on or off", body: protocol.ToggleRequest{}, answer: protocol.CustomTool{},
		gives: "The tool as it is now.", fails: append([]int{http.StatusNotFound, http.StatusConflict}, readable...),
		asks: map[string]string{"off": `{"owner":"ann","enabled":false}`},
	},
	"custom.delete": {
		summary: "Delete a custom tool", answer: protocol.Empty{}, gives: "It is gone, also for those it was shared with.", fails: unknown,
	},

	"data.summary": {
		summary: "How much is kept of a person", answer: protocol.DataSummary{},
		gives: "The number and the size of the items, by collection. Files, custom tools, grants and services have lists of their own.",
		more:  "An admin names the person.",
	},
	api.DataExport: {summary: "All data of a person", kind: "application/jsonl",
		gives: "The file, of any size. Its media type is that of the format: application/jsonl, text/csv, text/calendar, text/vcard or " +
			"text/html.",
		more: "jsonl holds everything that tools keep for the person, csv the expenses, ics the calendar, vcf the contacts, " +
			"html the bookmarks. Over NATS the answer is {\"format\", \"data\"}, as far as it fits a message. An admin names the person.",
		fails: tooLarge},
	"data.import": {summary: "Store exported data for a person", body: protocol.DataImport{}, answer: protocol.DataImported{},
		gives: "How many items were stored.", fails: append([]int{http.StatusConflict, http.StatusTooManyRequests}, readable...),
		more: "Items keep their ids; an item whose id is taken is left out, so an import may be repeated. " +
			"A file that does not fit a request is imported in parts, or with helve data import.",
		asks: map[string]string{"a note": importRequest}},
	"data.delete": {summary: "Delete all data of a person", answer: protocol.DataDeleted{},
		gives: "What was deleted, and what is left until it expires.", fails: []int{http.StatusConflict},
		more: "Items, files, custom tools, grants, scheduled tasks and stored results go; the audit trail stays, with a record of the " +
			"deletion. The database is rewritten, so it takes a while, and there is one deletion at a time."},
	"schedules.list": {
		summary: "Scheduled tasks", answer: protocol.ScheduleList{}, gives: "A page of tasks, by person and id.",
		more: "Admins and auditors see those of the tenant, others their own.",
	},
	"schedules.get": {summary: "One scheduled task", answer: protocol.Schedule{}, gives: "The task with its history.", fails: unknown},
	"schedules.delete": {
		summary: "Delete a scheduled task", answer: protocol.Schedule{}, gives: "The task as it was. Its runs that have begun go on.",
		fails: unknown,
	},

	"services.list": {summary: "Services and their entries", answer: protocol.ServiceList{},
		gives: "The known services, and the entries that the caller may see. A secret is only shown as set.",
		more:  "A person sees their own entries, an admin those of the tenant and of every person, or of one person."},
	"services.get": {
		summary: "One service and its entries", answer: protocol.ServiceList{}, gives: "The service, and its entries that the caller may see.",
		fails: unknown,
	},
	"services.set": {summary: "Set an entry of a service", body: protocol.ServiceSet{}, answer: protocol.StoredService{},
		gives: "The entry, without its secrets. Workers use it within a second.",
		more: "It replaces the whole entry, unless merge is set. A person sets their own entries, an admin those of the tenant, " +
			"which are everybody's who has none. The dispatcher needs the master key.",
		fails: append([]int{http.StatusNotFound}, readable...),
		asks:  map[string]string{"openai": `{"fields":{"api_key":"sk-…","base_url":"https://api.openai.com/v1"}}`}},
	"services.delete": {
		summary: "Delete an entry of a service", answer: protocol.ServiceDeleted{},
		gives: "It is gone. Calls that have read it may still use it. Of an account, whether its tokens were revoked.", fails: unknown,
	},
	"services.test": {summary: "Test an entry of a service", answer: protocol.ServiceTested{},
		gives: "What the service answered to one request that costs nothing; also if it refused.",
		more:  "A worker makes the request, through the guard of tools.", fails: unknown},
	"services.connect": {summary: "Begin to connect an account", answer: protocol.Connection{},
		gives: "A code to enter at the provider, or an address to open in a browser.",
		more: "For the person of the credential only. With browser=true there is an address even if the provider has codes. " +
			"With connection_id and code it confirms a connection: the browser that opened the address without a credential shows the code.",
		fails: unknown},
	"services.connection": {
		summary: "The state of a connection", answer: protocol.Connection{},
		gives: "Whether the account is connected. With a code, the provider is asked.", fails: unknown,
	},
	"services.rotate": {summary: "Protect all entries with the current master key", answer: protocol.ServicesRotated{},
		gives: "How many entries were under another key before.",
		more:  "It may be repeated at any time. Entries are every tenant's, so only admins of the tenant default may ask."},

	api.FilesList: {summary: "Files of a workspace", answer: protocol.FileList{}, gives: "A page of the files below the directory, by path.",
		fails: unknown,
		more:  "A path that ends in a slash names a directory: GET /v1/files/reports/. An admin names the person."},
	api.FilesGet: {summary: "Get a file", kind: "application/octet-stream", gives: "The file. Its media type follows from its name.",
		done: map[int]string{
			http.StatusPartialContent: "The part of the file that Range names.", http.StatusNotModified: "The file is as If-None-Match says.",
		},
		fails: fileFails,
		more: "The path may contain slashes. HEAD, Range (206, 416), If-None-Match (304), If-Match and If-Range work as in RFC 9110. " +
			overHTTP},
	api.FilesPut: {summary: "Write a file", takes: "application/octet-stream",
		done:  map[int]string{http.StatusCreated: "The file is new. ETag is its tag.", http.StatusNoContent: "The file was replaced."},
		fails: append([]int{http.StatusRequestEntityTooLarge, http.StatusInsufficientStorage}, fileFails...),
		more: "The body is the file, at most http.max_file. It replaces the file in one step, and only when all of it has arrived. " +
			"Missing directories are made. If-None-Match: * writes only a new file, If-Match only a file with that ETag (412). " + overHTTP},
	api.FilesDelete: {
		summary: "Delete a file", done: map[int]string{http.StatusNoContent: "It is gone."}, fails: fileFails,
		more: "It deletes an empty directory too. If-Match is obeyed.",
	},

	"upstream.list": {summary: "Tools of MCP servers", answer: protocol.UpstreamList{},
		gives: "Which definitions were accepted, and which wait; with a name also what they say.", fails: unknown,
		more: "MCP servers are every tenant's, so only admins of the tenant default may ask."},
	"upstream.accept": {summary: "Accept a tool's definition", body: protocol.AcceptRequest{}, answer: protocol.UpstreamTool{},
		gives: "The tool's current state.", more: "The hash is that of the reviewed definition: a definition that has changed since is refused.",
		fails: append([]int{http.StatusNotFound, http.StatusConflict}, readable...)},
}

// says returns the description of an operation.
func (r row) says(op api.Operation) string {
	text := r.more
	if len(op.Roles) > 0 {
		names := make([]string, len(op.Roles))
		for i, role := range op.Roles {
			names[i] = string(role)
		}
		text += fmt.Sprintf(" With authentication on, it needs one of the roles %s.", strings.Join(names, ", "))
	}
	return strings.TrimSpace(text)
}
