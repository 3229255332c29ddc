package engine

import (
	"context"
	"time"

	"github.com/helve-dev/helve/tool"
)

// Catalog knows the tools of a tenant.
type Catalog interface {
	// Lookup finds a tool by its name or an alias. The error is a
	// *tool.Error: tool_not_found for a name nobody knows, tool_not_available
	// for a tool that is switched off.
	Lookup(tenant, name string) (*Entry, error)
}

// Access knows which tools an agent may use.
type Access interface {
	// Allow returns nil, or a *tool.Error of kind tool_not_available. The
	// job's definition is known, its arguments are not yet looked at.
	Allow(ctx context.Context, j *Job) error
}

// Policy decides whether a call may run.
type Policy interface {
	// Authorize returns nil, or a *tool.Error that says why not, or ErrParked.
	// The job's invocation is known. It sets the job's Decision and Within.
	Authorize(ctx context.Context, j *Job) error
}

// Ledger remembers which calls have started. Each method may return one of the
// control errors or a *tool.Error; any other error means that the ledger could
// not be asked, and the job is to be tried again ([ErrRetry]).
type Ledger interface {
	// Earlier looks for an earlier attempt. It is asked only for redelivered
	// jobs. Nil means that the job never started or may simply run again.
	Earlier(ctx context.Context, j *Job) error
	// Begin stores that a job which changes something starts. For one that
	// cannot be repeated nil means that its fence is stored, and that nobody
	// else stored it before; for one that can, that nobody ended it before it
	// started.
	Begin(ctx context.Context, j *Job) error
}

// Ports gives a tool its hold on the world.
type Ports interface {
	// Fill sets those ports of j.Call that needs asks for, and the ones that
	// are always there.
	Fill(j *Job, needs tool.Needs) error
}

// Rates bounds how often calls may be made.
type Rates interface {
	// Take counts the job. A wait above 0 means that it is one too many, and may be
	// made after that time. An error means that nobody could be asked.
	Take(ctx context.Context, j *Job) (wait time.Duration, err error)
}

// Recorder hears of every job once, when its outcome is known. It must not
// block and must not panic.
type Recorder interface {
	Record(j *Job, o *Outcome)
}

// Deps are what the stages lean on. Those up to Record must be there.
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
	// Rates is nil where nothing is bounded.
	Rates Rates
	// Middleware stands around the tools, the first one outermost.
	Middleware []tool.Middleware
	// Near returns names of tools the job's agent has that are like the one it names,
	// for a call by way of another tool; nil where nobody knows.
	Near func(j *Job, name string) []string
	// Stuck is told +1 when a call was answered without its tool, which did
	// not heed its context, and -1 when such a tool returned after all.
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
		d.Go = func(f func()) { go f() }
	}
	if d.Now == nil {
		d.Now = time.Now
	}
	return d
}
