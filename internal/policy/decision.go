package policy

import (
	"encoding/json"
	"time"

	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Outcome of a decision.
type Outcome string

// The outcomes: the call runs, is refused, or needs a person's approval.
const (
	Run    Outcome = "run"
	Refuse Outcome = "refuse"
	Ask    Outcome = "ask"
)

// Origin is the way by which a call reached the gate.
type Origin string

// The origins; every one of them passes the same gate.
const (
	Direct     Origin = "direct"
	UseTool    Origin = "use_tool"
	Batch      Origin = "batch"
	JavaScript Origin = "javascript"
	MCP        Origin = "mcp"
	Schedule   Origin = "schedule"
	Program    Origin = protocol.OriginProgram
)

// Input is the input of a decision.
type Input struct {
	Tenant, User, Agent, Conversation string
	Tool                              *tool.Definition
	// Mutates is set if this call can change something.
	Mutates bool
	// Arguments are a JSON object, validated and with their defaults, exactly as they
	// will be executed.
	Arguments json.RawMessage
	Origin    Origin
	Now       time.Time
}

// Decision is the result. Reason is one sentence for a person; Rule is the ID of the
// deciding rule, or the row of the table, such as "table:medium-mutates".
type Decision struct {
	Outcome Outcome
	Reason  string
	Rule    string
	// Narrow are the scopes that rules impose on the call, in addition to those of its
	// definition: the call may reach only what all of them contain.
	Narrow []tool.Scopes
	// Strong means that no remembered grant suffices: a person must approve this very
	// call.
	Strong bool
	// TTL is the time for a person's decision; 0 means the configured time.
	TTL time.Duration
}
