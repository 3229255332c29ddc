package protocol

import (
	"encoding/json"
	"time"
)

// PolicyQuestion is the body of policy.explain: a call that is not made.
type PolicyQuestion struct {
	Tool         string          `json:"tool" doc:"The tool, by name."`
	Arguments    json.RawMessage `json:"arguments,omitempty" doc:"Its arguments. Without them the tool itself is judged, by the worst that it can do."`
	User         string          `json:"user,omitempty" pattern:"^[A-Za-z0-9_-]{1,64}$" doc:"The person."`
	Agent        string          `json:"agent,omitempty" pattern:"^[A-Za-z0-9_-]{1,64}$" doc:"The agent."`
	Conversation string          `json:"conversation,omitempty" pattern:"^[A-Za-z0-9_-]{1,64}$" doc:"The conversation."`
	Origin       string          `json:"origin,omitempty" enum:"direct,use_tool,batch,javascript,mcp,schedule" doc:"The way of the call; direct if absent."`
	At           *time.Time      `json:"at,omitempty" doc:"The time of the call; now if absent."`
}

// PolicyExplanation answers policy.explain: how a call would be decided, and by what.
type PolicyExplanation struct {
	Outcome    string         `json:"outcome" enum:"run,ask,refuse" doc:"Whether the call runs, needs a person, or is refused."`
	Reason     string         `json:"reason" doc:"Why, in a sentence for people."`
	Rule       string         `json:"rule" doc:"The rule that decides, or the row of the table, such as table:medium-mutates."`
	At         string         `json:"at,omitempty" doc:"The place of that rule, file:line:column; absent if the table decides."`
	Strong     bool           `json:"strong" doc:"Whether no remembered approval suffices."`
	TTLSeconds float64        `json:"ttl_seconds" doc:"How long a person has to decide; 0 if none is asked."`
	Narrow     []Scopes       `json:"narrow" doc:"What rules leave of the reach of the call: what all of them contain."`
	Tool       string         `json:"tool" doc:"The tool, by its own name."`
	Risk       Risk           `json:"risk" doc:"Its risk."`
	Mutates    bool           `json:"mutates" doc:"Whether the call can change something."`
	Table      PolicyTable    `json:"table" doc:"What the table alone decides."`
	Rules      []PolicyReason `json:"rules" doc:"The rules that match the call or failed on it; empty for callers without a role that reads rules."`
	Depends    bool           `json:"depends,omitzero" doc:"true if the question has no arguments and a rule needs them: calls may be decided otherwise."`
}

// PolicyTable is the decision of the table of risks.
type PolicyTable struct {
	Outcome string `json:"outcome" enum:"run,ask,refuse" doc:"The decision."`
	Rule    string `json:"rule" doc:"The row."`
}

// PolicyReason is a rule that matches a call, or failed on it.
type PolicyReason struct {
	Rule   string `json:"rule" doc:"The rule."`
	At     string `json:"at" doc:"Its place, file:line:column."`
	Effect string `json:"effect" enum:"permit,forbid" doc:"What it does."`
	Action string `json:"action" enum:"execute,auto_approve" doc:"What it is about."`
	Error  string `json:"error,omitempty" doc:"Why it could not be evaluated. It may quote arguments."`
}

// PolicyInForce answers policy.get: the rules that a worker decides by.
type PolicyInForce struct {
	Pool    string            `json:"pool" doc:"The pool of the worker."`
	Worker  string            `json:"worker" doc:"The worker that answered."`
	Profile string            `json:"profile" enum:"strict,standard,auto" doc:"The profile of tenants that have none of their own."`
	Tenants map[string]string `json:"tenants" doc:"The profiles of tenants."`
	SHA256  string            `json:"sha256" doc:"The hash of all rule files; workers with the same one decide alike."`
	Files   []string          `json:"files" doc:"The rule files, in their order."`
	Rules   []PolicyRule      `json:"rules" doc:"The rules, in their order."`
}

// PolicyRule is a rule in force.
type PolicyRule struct {
	Rule   string `json:"rule" doc:"Its name."`
	At     string `json:"at" doc:"Its place, file:line:column."`
	Effect string `json:"effect" enum:"permit,forbid" doc:"What it does."`
	Reason string `json:"reason,omitempty" doc:"Its sentence for people."`
	Text   string `json:"text" doc:"The rule in Cedar, in a uniform layout."`
}
