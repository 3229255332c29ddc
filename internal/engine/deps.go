package engine

import (
	"context"
	"time"

	"github.com/helve-dev/helve/internal/x/gopool"
	"github.com/helve-dev/helve/tool"
)

// Catalog knows the tools of a tenant.
type Catalog interface {
	// Lookup finds the tool that a user of a tenant means by a name or an alias. The error is a
	// *tool.Error: tool_not_found for an unknown name, tool_not_available
	// for a tool that is switched off.
	Lookup(tenant, user, name string) (*Entry, error)
}

// Access knows which tools an agent may use.
type Access interface {
	// Allow returns nil, or a *tool.Error of kind tool_not_available. The
	// job's definition is known, its arguments are not yet looked at.
	Allow(ctx context.Context, j *Job) error
}

// Policy decides whether a call may run.
type Policy interface {
	// Authorize returns nil, or a *tool.Error with the reason, or ErrParked.
	// The job's invocation is known. It sets the job's Decision and Within.
	Authorize(ctx context.Context, j *Job) error
}

// Ledger stores which calls have started. Each method may return one of the
// control errors or a *tool.Error; any other error means that the ledger could
// not be read, and the job is to be tried again ([ErrRetry]).
type Ledger interface {
	// Earlier looks for an earlier attempt. It is called only for redelivered
	// jobs. Nil means that the job never started or may simply run again.
	Earlier(ctx context.Context, j *Job) error
	// Begin stores that a job which changes something starts. Nil means, for a job
	// that cannot be repeated, that its fence is stored, and not by another attempt;
	// for a job that can, that no process ended it before it started.
	Begin(ctx context.Context, j *Job) error
}

// Ports opens the ports of a call.
type Ports interface {
	// Fill sets the ports of j.Call that needs contains, and the ports that every call
	// has.
	Fill(j *Job, needs tool.Needs) error
}

// Rates bounds how often calls may be made.
type Rates interface {
	// Take counts the job. A wait above 0 means that it exceeds a bound, and may be
	// made after that time. An error means that the count could not be read.
	Take(ctx context.Context, j *Job) (wait time.Duration, err error)
}

// Recorder is called once for every job, when its outcome is known. It must not
// block and must not panic.
type Recorder interface {
	Record(j *Job, o *Outcome)
}

// Deps are the dependencies of the stages. Those up to Record are required.
type Deps struct {
	Catalog Catalog
	Access  Access
	Policy  Policy
	Ledger  Ledger
	Ports   Ports
	Record  Recorder
	// CustomTools is for tools that look at a call before it is authorized; nil
	// where there are none.
	CustomTools tool.CustomTools
	// Place returns why a job, whose definition is known, cannot run in this process
	// now: a *tool.Error. Nil where every job can.
	Place func(j *Job) error
	// Committed returns the stored result of a job's call, nil if there is none. It is nil
	// in a process without a store.
	Committed func(ctx context.Context, j *Job) (*Committed, error)
	// Refuse stores that a job ends in an error, so that no other attempt of it commits
	// anything afterwards, or returns the outcome of the attempt that has. It is set with
	// Committed.
	Refuse func(ctx context.Context, j *Job, reason *tool.Error) (*Committed, error)
	// Connect parks a job whose person must connect an account first, and returns ErrParked,
	// or a *tool.Error with the reason why not. It is nil where there are no accounts.
	Connect func(ctx context.Context, j *Job, m *tool.AccountMissing) error
	// Kept returns the durable tool that the program of a job began with, also if the worker has
	// another version of it, or none; nil if it has not begun. Kept itself is nil where no programs run.
	Kept func(ctx context.Context, j *Job) (*Entry, error)
	// Rates is nil where nothing is bounded.
	Rates Rates
	// Middleware runs around the tools, the first one outermost.
	Middleware []tool.Middleware
	// Near returns names of tools the job's agent has that are like the one it names,
	// for a call by way of another tool; nil if they are not known.
	Near func(j *Job, name string) []string
	// Trace begins the spans of a call's parts: gate, fence, tool. Nil where nothing is
	// traced.
	Trace Trace
	// Stuck is called with +1 when a call was answered without its tool, which
	// ignored its context, and with -1 when such a tool returned after all.
	Stuck func(delta int)
	// Go runs a function on a goroutine of its own; nil is the go statement.
	Go func(func())
	// Now is time.Now if nil.
	Now func() time.Time
}

func (d Deps) complete() Deps {
	for _, part := range []struct {
		name    string
		missing bool
	}{
		{"Catalog", d.Catalog == nil},
		{"Access", d.Access == nil},
		{"Policy", d.Policy == nil},
		{"Ledger", d.Ledger == nil},
		{"Ports", d.Ports == nil},
		{"Record", d.Record == nil},
	} {
		if part.missing {
			panic("engine: Deps." + part.name + " is missing")
		}
	}
	if d.Stuck == nil {
		d.Stuck = func(int) {}
	}
	if d.Go == nil {
		d.Go = func(f func()) { gopool.Go(f, nil) }
	}
	if d.Now == nil {
		d.Now = time.Now
	}
	return d
}
