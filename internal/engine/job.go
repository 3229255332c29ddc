package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/helve-dev/helve/internal/schema"
	"github.com/helve-dev/helve/tool"
)

// Job is one call on its way through the pipeline.
type Job struct {
	// Call holds ids, attempt and deadline. Lookup sets its Tool, prepare its
	// ports. A zero Deadline is none.
	tool.Call

	// Name is the tool as the caller named it; it may be an alias.
	Name string
	// Args are the arguments as the caller sent them.
	Args json.RawMessage
	// Timeout is the caller's; 0 is none.
	Timeout time.Duration
	// Redelivered says that an earlier attempt may have started the call.
	Redelivered bool
	// Token is the confirm token that came with the call.
	Token string
	// Granted says that a person let a parked call go on with it.
	Granted bool
	// Origin is the way the call came; empty is directly.
	Origin string
	// Reach, where set, refuses a tool that whoever made the call may not use.
	Reach func(t *tool.Tool) error
	// Inner says that a running tool made the call: there is nobody to park it
	// for, and its token is that of the call around it, which may not cover it.
	Inner bool
	// Begins, where set, is asked directly before the call acts, ahead of the ledger;
	// an error of it keeps the call from that, as one of the ledger does.
	Begins func(ctx context.Context) error

	// Decision is what the gate said. Policy sets it.
	Decision Decision
	// Within are the scopes that the call must stay in, every one of them,
	// beside those of its tool. Policy adds to it.
	Within []tool.Scopes

	acted      atomic.Bool
	hash, sent string
	entry, way *Entry
	changed    json.RawMessage // the arguments as middleware made them
	prepared   json.RawMessage
	wait       time.Duration // until a call like this may run
	ignored    []string
	invocation tool.Invocation
	ran        time.Duration
	outcome    Outcome
}

// Decision is what the gate said of a job, and why.
type Decision struct {
	// Outcome is "allowed", "blocked" or "confirmation_required"; empty if the
	// job never came to the gate.
	Outcome string
	// Reason is one sentence, Rule the id of what decided.
	Reason, Rule string
}

// ArgsHash is the hash of the arguments of the call that is judged, as the caller
// sent them or as middleware changed them, without the defaults; empty if they are no
// JSON object. It is for one goroutine.
func (j *Job) ArgsHash() string {
	if j.hash == "" {
		if hash, err := schema.Hash(j.given()); err == nil {
			j.hash = hash
		}
	}
	return j.hash
}

// SentHash is the hash of the arguments of the call as it came: another one than
// ArgsHash where it came by way of a tool that delegates, or middleware changed them.
func (j *Job) SentHash() string {
	if j.sent == "" {
		j.sent = j.ArgsHash()
	}
	return j.sent
}

// Arguments are what the tool will get: validated, with their defaults. They
// are nil before the prepare stage.
func (j *Job) Arguments() json.RawMessage { return j.prepared }

// Definition is the definition of the job's tool. It is nil before lookup, and
// stays so for a tool that is not known.
func (j *Job) Definition() *tool.Definition {
	if j.entry == nil {
		return nil
	}
	return &j.entry.Tool.Definition
}

// Entry is the job's tool. It is nil before lookup, and stays so for a tool that is
// not known.
func (j *Job) Entry() *Entry { return j.entry }

// Way is the definition of the tool by way of which the call came, nil for one that
// came directly.
func (j *Job) Way() *tool.Definition {
	if j.way == nil {
		return nil
	}
	return &j.way.Tool.Definition
}

// Permissions are those of the code that the job runs, if a model wrote it.
func (j *Job) Permissions() []string { return j.entry.Tool.Permissions }

// Binding is what a person's yes to this call is for, beside its arguments: which
// version of a script, or of what the call is about. Empty is nothing else.
func (j *Job) Binding() string {
	if j.About == "" {
		return j.entry.Tool.Identity
	}
	return j.entry.Tool.Identity + "/" + j.About
}

// Invocation is the tool bound to the job's arguments. It is the zero value
// before the arguments were bound, which the limit stage does.
func (j *Job) Invocation() tool.Invocation { return j.invocation }

// unrepeatable says that the call changes something and cannot be run twice.
func (j *Job) unrepeatable() bool { return j.invocation.Mutates && !j.invocation.Idempotent }

// Acts notes that a call which the job's tool made begins to change something.
func (j *Job) Acts() { j.acted.Store(true) }

// changes says that the call, or one that its tool made, may have changed something
// once its tool was started.
func (j *Job) changes() bool { return j.invocation.Mutates || j.acted.Load() }

// touched says that an earlier attempt of the job may have changed something,
// even if this one does nothing. Unrepeatable calls are no matter here: the
// ledger lets them through only when they never started.
//
// What a tool that makes calls has let happen has no fence at the call itself.
func (j *Job) touched() bool {
	return j.Redelivered && (j.invocation.Mutates && j.invocation.Idempotent || j.entry != nil && j.entry.Tool.Needs.Has(tool.NeedTools))
}

// Entry is a tool that is ready to be called.
type Entry struct {
	Tool   *tool.Tool
	Schema *schema.Schema
}

// NewEntry compiles the schema of t. The parameter of the tool's limit is left
// to the limit stage, which takes any value, and loose ones to the tool. The error
// says what is wrong with the schema.
func NewEntry(t *tool.Tool) (*Entry, error) {
	var options []schema.Option
	if t.Limit != nil {
		options = append(options, schema.Free(t.Limit.Param))
	}
	for _, name := range t.Loose {
		options = append(options, schema.Free(name))
	}
	s, err := schema.Compile(t.Parameters, options...)
	if err != nil {
		return nil, fmt.Errorf("tool %q: parameters: %w", t.Name, err)
	}
	return &Entry{Tool: t, Schema: s}, nil
}
