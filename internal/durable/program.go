package durable

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// State is the state of a program.
type State string

// The states. A queued program waits for a worker, or has one.
const (
	Queued  State = "queued"
	Waiting State = "waiting"
	Done    State = "done"
)

// Bounds of a program.
const (
	MaxSteps   = 2000
	MaxRunning = 64 // steps at the same time
	MaxDepth   = 3  // programs within programs
	MaxJournal = 16 << 20
	MaxCPU     = 60 * time.Second // live, in all
	MaxTime    = 30 * 24 * time.Hour
	// DefaultTime is the time of a program whose call names none.
	DefaultTime = time.Hour
	// MaxValue bounds the result of a step, in bytes: it must fit into a message, and into the
	// memory of the code.
	MaxValue = 4 << 20
)

// Program is the stored state of a program.
type Program struct {
	State State `json:"state"`
	// Call is the call as it is queued, with its arguments. Pool, Lane and Traceparent are
	// those of its message.
	Call        *call.Call `json:"call"`
	Tenant      string     `json:"tenant"`
	Pool        string     `json:"pool"`
	Lane        string     `json:"lane,omitempty"`
	Traceparent string     `json:"traceparent,omitempty"`
	// Key is the secret of the workers that were given the call.
	Key string `json:"key"`
	// Depth counts the programs around this one.
	Depth int `json:"depth,omitzero"`
	// Within are the lists of tools that the program and those around it may call: a tool must
	// be in all of them.
	Within [][]string `json:"within,omitempty"`
	// Saved is the durable tool as the program began with it; nil for run_program, and before the
	// first turn.
	Saved *Saved `json:"saved,omitempty"`
	// Around are the runs of the programs around this one, the innermost first.
	Around []protocol.ProgramRun `json:"around,omitempty"`
	// StartedMS is when the call was accepted, DeadlineMS when the program must have ended, in
	// Unix milliseconds, as all times here.
	StartedMS  int64 `json:"started_ms"`
	DeadlineMS int64 `json:"deadline_ms"`
	// ChangedMS is when this was written.
	ChangedMS int64 `json:"changed_ms"`
	// Wake counts how often the program was queued again after it had waited.
	Wake int `json:"wake,omitzero"`
	// WokenMS is the time at which the program was queued again, by the clock of the process that
	// did: what was over by that clock is over in the turn that follows.
	WokenMS int64 `json:"woken_ms,omitzero"`
	// Brought is the number of events that were appended for the last wake.
	Brought int `json:"brought,omitzero"`
	// Last is the place of the last entry of the journal, 0 for none; Steps, Bytes and CPUMS
	// are the sums of the entries.
	Last  uint64 `json:"last,omitzero"`
	Steps int    `json:"steps,omitzero"`
	Bytes int64  `json:"bytes,omitzero"`
	CPUMS int64  `json:"cpu_ms,omitzero"`
	// Waits lists the things that a waiting program waits for.
	Waits []protocol.ProgramWait `json:"waits,omitempty"`
	// Cancelled is set when the program was cancelled while it waited: no turn of it begins any
	// more. CancelledBy names the person.
	Cancelled   bool   `json:"cancelled,omitzero"`
	CancelledBy string `json:"cancelled_by,omitempty"`
	// Lost is set on a cancelled program whose state was lost: its call ends in an error.
	Lost bool `json:"lost,omitzero"`
	// Status, ErrorType, Message, EndedMS and Result are the end of the program. A result
	// that is too large to be here is only in the results.
	Status    string         `json:"status,omitempty"`
	ErrorType tool.Kind      `json:"error_type,omitempty"`
	Message   string         `json:"message,omitempty"`
	EndedMS   int64          `json:"ended_ms,omitzero"`
	Result    jsontext.Value `json:"result,omitzero"`
	// Tokens are the confirm tokens that its steps bring along.
	Tokens []Token `json:"tokens,omitempty"`
	// Failed is the number of the step whose error the code did not catch, 0 for none; Unmade are
	// the steps that the code made and that certainly did not become calls.
	Failed int   `json:"failed,omitzero"`
	Unmade []int `json:"unmade,omitempty"`
	// RetriedBy is the call that continues the program after its failure, empty for none.
	RetriedBy string `json:"retried_by,omitempty"`
	// CodeID and CodeStartMS are the id and the start that the code sees, if they are not those of
	// the call: it continues another program.
	CodeID      string `json:"code_id,omitempty"`
	CodeStartMS int64  `json:"code_start_ms,omitzero"`
	// Unfinished and Unknown are the steps that the end has cut off, and those of them whose
	// outcome nobody knows.
	Unfinished []string `json:"unfinished,omitempty"`
	Unknown    []string `json:"unknown,omitempty"`
}

// MaxTokens bounds the tokens of a program that have not expired.
const MaxTokens = 20

// Token is a confirm token for steps of a program that are calls of some tools.
type Token struct {
	Text      string   `json:"text"`
	Tools     []string `json:"tools"`
	ExpiresMS int64    `json:"expires_ms"`
}

// AddToken adds a token in place of those that have expired. It returns false if there is no room.
func (p *Program) AddToken(t Token, now time.Time) bool {
	p.Tokens = slices.DeleteFunc(p.Tokens, func(old Token) bool { return old.ExpiresMS <= now.UnixMilli() })
	if len(p.Tokens) >= MaxTokens {
		return false
	}
	p.Tokens = append(p.Tokens, t)
	return true
}

// New returns the program of a call that is about to be queued.
func New(c *call.Call, allowed time.Duration, depth int) *Program {
	var key [16]byte
	_, _ = rand.Read(key[:]) // never fails: crypto/rand ends the process first
	end := c.Accepted().Add(allowed)
	if at := c.Deadline(); !at.IsZero() && at.Before(end) {
		end = at
	}
	return &Program{
		State: Queued, Call: c, Tenant: c.Tenant, Pool: c.Pool, Lane: c.Lane, Traceparent: c.Traceparent, Key: hex.EncodeToString(key[:]),
		Depth: depth, StartedMS: c.AcceptedMS, DeadlineMS: end.UnixMilli(), ChangedMS: time.Now().UnixMilli(),
	}
}

// CallFor returns the call as it is queued for a wake.
func (p *Program) CallFor(wake int) *call.Call {
	c := *p.Call
	c.Tenant, c.Pool, c.Lane, c.Traceparent = p.Tenant, p.Pool, p.Lane, p.Traceparent
	c.Program, c.Wake, c.StartByMS = p.Key, wake, p.DeadlineMS
	return &c
}

// Proof returns the proof of the key that the entries of the program's journal carry.
func (p *Program) Proof() string {
	sum := sha256.Sum256([]byte("helve journal v1\x00" + p.Key))
	return hex.EncodeToString(sum[:16])
}

// Run returns a hash that names this run of the program: of its code and input, and of its key,
// so that no other program with the same call_id has it.
func (p *Program) Run() string {
	h := sha256.New()
	for _, part := range []string{p.Key, p.Call.Tool} {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	h.Write(p.Call.Arguments)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Runs returns the runs of the program and of those around it, the innermost first.
func (p *Program) Runs() []protocol.ProgramRun {
	return append([]protocol.ProgramRun{{CallID: p.Call.ID, Run: p.Run()}}, p.Around...)
}

// Deadline returns when the program must have ended.
func (p *Program) Deadline() time.Time { return time.UnixMilli(p.DeadlineMS) }

// StepID returns the call_id of a step.
func StepID(callID string, n int) string { return callID + "~" + strconv.Itoa(n) }

// Hash returns the hash by which a call of a step is compared with that of an earlier turn.
func Hash(tool string, args []byte) string {
	h := sha256.New()
	h.Write([]byte(tool))
	h.Write([]byte{0})
	h.Write(args)
	return hex.EncodeToString(h.Sum(nil)[:16])
}
