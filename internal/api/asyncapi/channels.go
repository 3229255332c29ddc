package asyncapi

import (
	"regexp"

	"github.com/helve-dev/helve/internal/bus"
)

// inbox is where requests are answered: the subject is the asker's own.
const inbox = "inbox"

// channel is one subject that programs outside may rely on.
type channel struct {
	name, address, means, stream string
	// action is what Helve does there, and does what it does it for.
	action, does string
	messages     []string
	// queue is the queue group of those who listen.
	queue string
	// answer is the message a request is answered with.
	answer string
}

// channels are all but those of operations, which package api lists.
func channels(s bus.Subjects) []channel {
	const tenant, tool, user, callID = "{tenant}", "{tool}", "{user}", "{call_id}"
	return []channel{
		{
			name: "call", address: s.Call(tenant, "{pool}", tool), stream: bus.StreamCalls, action: "send", messages: []string{"call"},
			means: "The work queue of a pool. Only dispatchers put calls there and only workers take them off; to look at it harms nobody.",
			does:  "A dispatcher queues a call that was accepted. It stays until it has a result.",
		},
		{
			name: "result", address: s.Result(tenant, "{origin}", callID), stream: bus.StreamResults, action: "send", messages: []string{"result"},
			means: "The results of calls, one for each, stored for an hour or longer. The first message of a subject is the one that counts.",
			does:  "A worker stores the one result of a call, which whoever waits hears at the same time.",
		},
		{
			name: "event", address: s.Event(tenant, "{trace_id}", callID), action: "send", messages: []string{"event"},
			means: "Progress and changes of state. They are told once, in order of each sender, and delivery is not promised. Over HTTP this is `GET /v1/events`, which tells the last ten minutes again.",
			does:  "Each step of a call is told by who takes it.",
		},
		{
			name: "cancel", address: s.Cancel(tenant, callID), action: "send", messages: []string{"cancel"},
			means: "A process that runs a call listens here while it does. To cancel a call ask `calls.cancel`.",
			does:  "A dispatcher asks whoever runs a call to stop it.",
		},
		{
			name: "consent_request", address: s.ConsentRequest(tenant, user), stream: bus.StreamConsent, action: "send", messages: []string{"consent"},
			means: "What waits for a person's decision. A request leaves the stream when it is decided; `consent.list` is the same, asked for.",
			does:  "A worker asks a person about a call, which waits as data until `consent.decide`, or until it expires.",
		},
		{
			name: "consent_decision", address: s.ConsentDecision(tenant, user), stream: bus.StreamDecisions, action: "send", messages: []string{"decision"},
			means: "What became of a person's requests.",
			does:  "A dispatcher tells of the one verdict of a request.",
		},
		{
			name: "audit", address: withTool(s.Audit(tenant, "t")), stream: bus.StreamAudit, action: "send", messages: []string{"record"},
			means: "The audit trail. What has no valid tool's name is under `unknown`, and what is about no tool under a name such as `helve.token`.",
			does:  "Every step is put on record by who takes it, that of a side effect before it acts.",
		},
		{
			name: "remote", address: s.Remote(tenant, tool), action: "send", messages: []string{"remote_call"}, answer: "remote_answer", queue: bus.QueueRemote,
			means: "Calls of a tool that processes outside run. They listen in the queue group " + bus.QueueRemote + ", so that one of them is asked.",
			does:  "A worker asks one process and waits for its answer until the deadline. A second answer, or a late one, is dropped.",
		},
		{
			name: "progress", address: s.Progress(tenant, "{worker}", "{secret}"), action: "receive", messages: []string{"progress"},
			means: "The subject in the header " + bus.HeaderEvents + " of a call. What is told here before the answer becomes a progress event of that call, up to 1,000 of them.",
			does:  "A worker hears how far a process is.",
		},
	}
}

// withTool puts the parameter in the place of a tool's name, which a subject of the
// trail must end in.
func withTool(address string) string { return address[:len(address)-1] + "{tool}" }

// parameters are the tokens of all subjects.
var parameters = map[string]Parameter{
	"tenant":   {Description: "The tenant: 1 to 64 letters, digits, _ and -.", Default: "default"},
	"pool":     {Description: "The workers that run the tool.", Default: "default"},
	"tool":     {Description: "The tool's name. It may hold dots, so it may be several tokens: listen to `…>`."},
	"origin":   {Description: "The dispatcher that accepted the call."},
	"call_id":  {Description: "The call: 1 to 128 letters, digits, _ and -, unique in the tenant."},
	"trace_id": {Description: "The trace: 32 lower-case hex digits."},
	"user":     {Description: "The person: 1 to 64 letters, digits, _ and -."},
	"worker":   {Description: "The worker that asked."},
	"secret":   {Description: "What only the process knows that was given the call."},
}

var token = regexp.MustCompile(`\{([a-z_]+)\}`)

// parametersOf points to what an address is made of.
func parametersOf(address string) map[string]Ref {
	refs := map[string]Ref{}
	for _, m := range token.FindAllStringSubmatch(address, -1) {
		refs[m[1]] = Ref{"#/components/parameters/" + m[1]}
	}
	return refs
}
