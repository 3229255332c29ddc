package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Job is one call in the pipeline.
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
	// SpanID is the id of the call's span; empty if it is not recorded.
	SpanID string
	// Accepted is when the call was accepted, Queued the time from then to starting it; zero
	// for a nested call.
	Accepted time.Time
	Queued   time.Duration
	// Redelivered is set if an earlier attempt may have started the call.
	Redelivered bool
	// GivenUp, if set, ends the call, unless an earlier attempt has committed it.
	GivenUp *tool.Error
	// Token is the confirm token that came with the call.
	Token string
	// Granted is set if a person let a parked call go on with it.
	Granted bool
	// Via is the way the call came; empty is directly.
	Via string
	// RerunOf is the id of the call that this one repeats, empty for none.
	RerunOf string
	// Direct is set if the call is in no queue, so that it must change nothing.
	Direct bool
	// Bound is set if all calls of the user come to this process, Rehomed if they came
	// to another one until recently, with another workspaces directory.
	Bound, Rehomed bool
	// Key and Wake are those of the program that the call is, empty for any other call.
	Key  string
	Wake int
	// Timezone is the IANA name of the person's time zone; empty is UTC.
	Timezone string
	// Step is the place in a program from which the call came, nil for none.
	Step *protocol.ConsentProgram
	// Programs are the runs of the programs around the call, the innermost first.
	Programs []protocol.ProgramRun
	// FreeSlot, if set, frees the slot of the call before it ends.
	FreeSlot func()
	// Reach, if set, refuses a tool that the caller of a nested call may not use.
	Reach func(t *tool.Tool) error
	// Nested is set if a running tool made the call: it cannot be parked, and its
	// token is that of the outer call, which may not cover it.
	Nested bool
	// Tree counts the calls made below the outermost call of this one, which all of
	// them share; nil for a call that nothing has equipped to make any.
	Tree *atomic.Int64
	// BeforeEffect, if set, is called directly before the call acts, ahead of the ledger;
	// an error of it keeps the call from that, as one of the ledger does.
	BeforeEffect func(ctx context.Context) error

	// Work is set together with the store port: the changes to commit.
	Work Work

	// Decision is the gate's. Policy sets it.
	Decision Decision
	// Within are the scopes that the call must stay in, every one of them,
	// beside those of its tool. Policy adds to it.
	Within []tool.Scopes

	acted            atomic.Bool
	phase            phase
	committed        atomic.Int64 // the attempt that stored the result, if it was another one
	hash, sent       string
	cameBy           string // the origin of a call before it was delegated
	entry, delegator *Entry
	kept             *Entry          // of a program that has begun
	changed          json.RawMessage // the arguments as middleware made them
	prepared         json.RawMessage
	wait             time.Duration // until a call like this may run
	ignored          []string      // unknown parameters, those of the way among them
	unknown          []string      // those of the tool itself
	notes            []string      // for the model, beside the result
	invocation       tool.Invocation
	edits            *edits // nil if the tool names no changes
	nested           nestedFiles
	ran              time.Duration
	seen             seen
	outcome          Outcome
}

// Decision is the decision of the gate on a job, with its reason.
type Decision struct {
	// Outcome is "allowed", "blocked" or "confirmation_required"; empty if the
	// job never came to the gate.
	Outcome string
	// Reason is one sentence, Rule the id of what decided.
	Reason, Rule string
}

// ArgsHash returns the hash of the arguments of the call that is judged, as the caller
// sent them or as middleware changed them, without the defaults; empty if they are no
// JSON object. It is for one goroutine.
func (j *Job) ArgsHash() string {
	if j.hash == "" {
		if hash, err := schema.Hash(j.Given()); err == nil {
			j.hash = hash
		}
	}
	return j.hash
}

// SentHash returns the hash of the arguments of the call as it came: another one than
// ArgsHash where it came by way of a tool that delegates, or middleware changed them.
func (j *Job) SentHash() string {
	if j.sent == "" {
		j.sent = j.ArgsHash()
	}
	return j.sent
}

// Arguments returns the arguments of the tool: validated, with their defaults. They
// are nil before the prepare stage.
func (j *Job) Arguments() json.RawMessage { return j.prepared }

// Ignored returns the parameters that the tool does not know, which it will not get.
func (j *Job) Ignored() []string { return j.ignored }

// Definition returns the definition of the job's tool. It is nil before lookup, and
// stays so for a tool that is not known.
func (j *Job) Definition() *tool.Definition {
	if j.entry == nil {
		return nil
	}
	return &j.entry.Tool.Definition
}

// CameBy returns the way the call came before it was delegated; the tool that delegated a
// direct call.
func (j *Job) CameBy() string { return cmp.Or(j.cameBy, j.Via) }

// Entry returns the job's tool. It is nil before lookup, and stays so for a tool that is
// not known.
func (j *Job) Entry() *Entry { return j.entry }

// Delegator returns the definition of the tool that the call came by way of, nil for a
// call that came directly.
func (j *Job) Delegator() *tool.Definition {
	if j.delegator == nil {
		return nil
	}
	return &j.delegator.Tool.Definition
}

// Permissions returns the permissions of the code that the job runs, if a model wrote it.
func (j *Job) Permissions() []string { return j.entry.Tool.Permissions }

// Binding returns the subject of a person's verdict beside the arguments: the version of
// a script, or of the object of the call, and what the call changes, once [Job.Changes] has
// read it. Empty is nothing else.
func (j *Job) Binding() string {
	binding := j.entry.Tool.Identity
	if j.About != "" {
		binding += "/" + j.About
	}
	return binding + j.edits.binding()
}

// Invocation returns the tool bound to the job's arguments. It is the zero value
// before the arguments were bound, which the limit stage does.
func (j *Job) Invocation() tool.Invocation { return j.invocation }

// unrepeatable reports whether the call changes something and cannot be run twice.
func (j *Job) unrepeatable() bool { return j.acts() && !j.invocation.Idempotent }

// MarkEffect records that a nested call of the job's tool begins to change something.
func (j *Job) MarkEffect() { j.acted.Store(true) }

// changes reports whether the call, or a nested call of its tool, may have changed
// something once its tool was started and returned no result. A transactional call has not.
func (j *Job) changes() bool { return j.acts() && !j.transactional() || j.acted.Load() }

// touched reports whether an earlier attempt of the job may have changed something,
// even if this one does nothing. Unrepeatable calls are no matter here: the
// ledger lets them through only when they never started.
//
// What a tool that makes calls has let happen has no fence at the call itself.
func (j *Job) touched() bool {
	return j.Redelivered &&
		(j.acts() && j.invocation.Idempotent && !j.transactional() || j.entry != nil && j.entry.Tool.Needs.Has(tool.NeedTools))
}
