package asyncapi

import (
	"regexp"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/bus/events"
	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/consent/store"
)

// inbox is the channel of replies: the subject is the requester's own.
const inbox = "inbox"

// channel is one subject in the public contract.
type channel struct {
	name, address, means, stream string
	// action is Helve's side of the channel, and does describes its purpose.
	action, does string
	messages     []string
	// queue is the queue group of the subscribers.
	queue string
	// answer is the message of the reply to a request.
	answer string
}

// channels returns all channels except those of operations, which package api lists.
func channels(s queue.Subjects) []channel {
	const tenant, tool, user, callID = "{tenant}", "{tool}", "{user}", "{call_id}"
	return []channel{
		{
			name: "call", address: s.Call(tenant, "{pool}", tool), stream: streams.Calls, action: "send", messages: []string{"call"},
			means: "The work queue of a pool. Only dispatchers put calls there and only workers take them off; to look at it harms nobody.",
			does:  "A dispatcher queues a call that was accepted. It stays until it has a result.",
		},
		{
			name: "result", address: s.Result(tenant, "{pool}", "{origin}", callID), stream: streams.Results, action: "send",
			messages: []string{"result", "results"},
			means: "The results of calls, stored for an hour or longer. The first message of a subject counts. Results that are ready together " +
				"share a message, whose id begins with `~` in place of the call_id; of two results of one call the first in the stream counts.",
			does: "A worker stores the one result of a call, with its final audit record.",
		},
		{
			name: "event", address: events.Subjects{Tree: s.Tree}.Event(tenant, "{trace_id}", callID), action: "send", messages: []string{"event"},
			means: "Progress and changes of state. They are sent once, in the order of each sender, and delivery is not guaranteed. " +
				"Over HTTP this is `GET /v1/events`, which repeats the last ten minutes.",
			does: "Each step of a call is published by the process that takes it.",
		},
		{
			name: "cancel", address: s.Cancel(tenant, callID), action: "send", messages: []string{"cancel"},
			means: "A process that runs a call subscribes to this. To cancel a call use `calls.cancel`.",
			does:  "A dispatcher requests the worker of a call to stop it.",
		},
		{
			name: "consent_request", address: store.Subjects{Tree: s.Tree}.ConsentRequest(tenant, user), stream: streams.Consent, action: "send",
			messages: []string{"consent"},
			means:    "Requests that wait for a person's decision. A request leaves the stream when it is decided; `consent.list` returns the same, and the texts of changes with it.",
			does:     "A worker asks a person about a call, which waits as data until `consent.decide`, or until it expires.",
		},
		{
			name: "consent_decision", address: store.Subjects{Tree: s.Tree}.ConsentDecision(tenant, user), stream: streams.Decisions,
			action: "send", messages: []string{"decision"},
			means: "The decisions on a person's requests.",
			does:  "A dispatcher publishes the single verdict on a request.",
		},
		{
			name: "audit", address: withTool(stream.Subjects{Tree: s.Tree}.Audit(tenant, "t")), stream: streams.Audit, action: "send",
			messages: []string{"record"},
			means: "The audit trail. " +
				"What has no valid tool's name is under `unknown`, and what is about no tool under a name such as `helve.token`. A message under `" +
				audit.BlockAbout + "` holds up to 1,000 records, one a line, without a line end at its end; any other holds one record.",
			does: "Every step is put on record by who takes it, that of a side effect before it acts.",
		},
		{
			name: "remote", address: s.Remote(tenant, tool), action: "send", messages: []string{"remote_call"}, answer: "remote_answer",
			queue: peer.QueueRemote,
			means: "Calls of a tool that processes outside run. They listen in the queue group " + peer.QueueRemote +
				", so that one of them is asked.",
			does: "A worker asks one process and waits for its answer until the deadline. A second answer, or a late one, is dropped.",
		},
		{
			name: "progress", address: s.Progress(tenant, "{worker}", "{secret}"), action: "receive", messages: []string{"progress"},
			means: "The subject in the header " + peer.HeaderEvents +
				" of a call. What is told here before the answer becomes a progress event of that call, up to 1,000 of them.",
			does: "A worker hears how far a process is.",
		},
	}
}

// withTool replaces the wildcard at the end of a trail subject with the parameter for
// the tool's name.
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

// parametersOf returns references to the parameters of an address.
func parametersOf(address string) map[string]Ref {
	refs := map[string]Ref{}
	for _, m := range token.FindAllStringSubmatch(address, -1) {
		refs[m[1]] = Ref{"#/components/parameters/" + m[1]}
	}
	return refs
}
