package policy

import (
	"encoding/json"
	"time"

	"github.com/helve-dev/helve/tool"
)

// Outcome of a decision.
type Outcome string

// The outcomes: the call runs, is refused, or runs only with a person's yes.
const (
	Run    Outcome = "run"
	Refuse Outcome = "refuse"
	Ask    Outcome = "ask"
)

// Origin is the way a call came to the gate.
type Origin string

// The origins; every one of them passes the same gate.
const (
	Direct     Origin = "direct"
	UseTool    Origin = "use_tool"
	Batch      Origin = "batch"
	JavaScript Origin = "javascript"
	MCP        Origin = "mcp"
	Schedule   Origin = "schedule"
)

// Input is what a decision rests on.
type Input struct {
	Tenant, User, Agent, Conversation string
	Tool                              *tool.Definition
	// Mutates says that this very call can change something.
	Mutates bool
	// Arguments are a JSON object, validated and with their defaults: what will
	// run.
	Arguments json.RawMessage
	Origin    Origin
	Now       time.Time
}

// Decision is the answer. Reason is one sentence for a person; Rule is the id of
// the rule that decided, or the row of the table, such as "table:medium-mutates".
type Decision struct {
	Outcome Outcome
	Reason  string
	Rule    string
	// Narrow are the scopes that rules put upon the call, beside those of its
	// definition: what the call reaches must be in every one of them.
	Narrow []tool.Scopes
	// Strong says that no remembered grant suffices: a person must say yes to
	// this very call.
	Strong bool
	// TTL is how long a person may take; 0 means the configured time.
	TTL time.Duration
}
