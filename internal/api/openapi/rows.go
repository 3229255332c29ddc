package openapi

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/helve-dev/helve/internal/api"
	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/catalog"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/upstream/pins"
	"github.com/helve-dev/helve/tool"
)

// row is what an operation takes and gives.
type row struct {
	summary, more string
	// body and answer are values of the types; a nil answer is any JSON.
	body, answer any
	// gives says in a sentence what the answer is; kind is its media type, JSON if
	// empty.
	gives, kind string
	// fails are the failures beside those of every operation; overload says that a
	// 503 may hold results.
	fails    []int
	overload bool
	// asks and answers are examples, JSON by name.
	asks, answers map[string]string
}

var (
	unknown  = []int{http.StatusNotFound}
	readable = []int{http.StatusRequestTimeout, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType}
)

var rows = map[string]row{
	api.Execute: {summary: "Run one or more calls", body: ExecuteRequest{}, answer: ExecuteAnswer{}, fails: readable, overload: true,
		more:  "200 whenever the request itself was understood: each call has its own outcome. A call_id that is sent again never runs twice.",
		gives: "What came of each call.", asks: executeRequests, answers: executeAnswers},
	"tools.list": {summary: "List tools", answer: ToolsAnswer{}, gives: "The tools that a call of that agent, or of no agent, may use, in a steady order.",
		more: "With a provider's format, tools is exactly what that provider's request takes as its tools."},
	"tools.get":    {summary: "One tool", answer: tool.Definition{}, gives: "Its definition.", fails: unknown},
	"calls.get":    {summary: "State and result of a call", answer: bus.Element{}, gives: "The call as it stands.", fails: unknown, answers: oneResult},
	result:         {summary: "The bytes of a result", gives: "The JSON value that the call returned, as it is stored.", fails: unknown, more: "For a result that did not fit its answer and was named by result_ref."},
	"calls.cancel": {summary: "Cancel a call", answer: bus.Element{}, gives: "The call as it ended. One that was finished has its result.", fails: unknown},
	api.Events: {summary: "Follow a trace", answer: Event{}, kind: streamType, gives: "Server-sent events. Each has an Event as its data, its type as name, and an id to resume after.",
		more: "The headers come at once, then what is still known of the trace, at least ten minutes of it, then what happens. Comments keep the stream alive."},

	"consent.list": {summary: "What people are asked", answer: api.ConsentList{}, gives: "A page of the inbox."},
	"consent.get":  {summary: "One consent", answer: consent.Request{}, gives: "What is asked, and the verdict where there is one.", fails: unknown},
	"consent.decide": {summary: "Decide", body: api.DecisionRequest{}, answer: consent.Request{}, gives: "The consent with its verdict.", more: "The first verdict is the only one. The agent that asked cannot decide.",
		fails: append([]int{http.StatusNotFound, http.StatusConflict}, readable...), asks: map[string]string{"grant": `{"decision":"grant","remember":"session"}`, "deny": `{"decision":"deny","comment":"not today"}`}},
	"tokens.mint":   {summary: "Approve a plan ahead of time", body: api.MintRequest{}, answer: api.MintedToken{}, gives: "A confirm token.", fails: readable, asks: map[string]string{"plan": mintRequest}},
	"grants.list":   {summary: "Decisions that are remembered", answer: api.GrantList{}, gives: "All of them."},
	"grants.revoke": {summary: "Revoke a grant", answer: Empty{}, gives: "It holds no more.", fails: unknown},

	"audit.query":      {summary: "Records of what happened", answer: audit.Page{}, gives: "A page of records, oldest first."},
	"audit.verify":     {summary: "Check the seals of the trail", answer: audit.Report{}, gives: "Whether the trail is what was sealed."},
	"audit.export":     {summary: "The trail with its seals", answer: api.ExportPage{}, gives: "A page of lines. Each is JSON whose bytes its seal covers, so it is a string here."},
	"audit.public_key": {summary: "The key that verifies the seals", answer: "", kind: "application/x-pem-file", gives: "The public key in PEM."},

	"agents.list":   {summary: "Records of agents", answer: api.AgentList{}, gives: "All records, by name."},
	"agents.get":    {summary: "One agent's record", answer: catalog.Agent{}, gives: "Which tools it may use.", fails: unknown},
	"agents.put":    {summary: "Say which tools an agent may use", body: catalog.AgentRules{}, answer: catalog.Agent{}, gives: "The record as it is kept.", fails: readable, asks: map[string]string{"reader": `{"tools":["read_*"],"groups":[],"deny":[]}`}},
	"agents.delete": {summary: "Forget an agent's record", answer: Empty{}, gives: "The agent has the default set again.", fails: unknown},
	"groups.list":   {summary: "Groups of tools", answer: api.GroupList{}, gives: "All groups, or the one of a tool.", fails: unknown},

	"remote.register": {summary: "Offer the tools of a process", body: api.RegisterRequest{}, answer: api.Registered{}, gives: "What is offered, and when to send it again.", more: "Calls reach the process over NATS, so it needs a connection there.",
		fails: append([]int{http.StatusConflict}, readable...), asks: map[string]string{"billing": registerRequest}},
	"remote.unregister": {summary: "Take a process's tools back", body: api.UnregisterRequest{}, answer: api.Unregistered{}, gives: "Whether it was there.", fails: readable, asks: map[string]string{"billing": `{"instance":"billing-1"}`}},

	"upstream.list": {summary: "Tools of MCP servers", answer: api.UpstreamList{}, gives: "Which definitions were accepted, and which wait; with a name also what they say.", fails: unknown,
		more: "MCP servers are every tenant's, so only admins of the tenant default may ask."},
	"upstream.accept": {summary: "Accept a tool's definition", body: api.AcceptRequest{}, answer: pins.Entry{}, gives: "The tool as it stands now.", more: "The hash is that of the definition which was looked at: one that has changed since is refused.",
		fails: append([]int{http.StatusNotFound, http.StatusConflict}, readable...)},
}

// says is the description of an operation.
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
