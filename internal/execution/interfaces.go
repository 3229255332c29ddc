package execution

import (
	"context"
	"errors"
	"time"

	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/protocol"
)

// Errors that the interfaces of this package return, alone or wrapped. Any other error
// means that it is not known whether the request was carried out.
var (
	// ErrExists means that a once-only write was refused: an earlier one is stored.
	ErrExists = errors.New("already stored")
	// ErrFull means that there is no room. If it wraps a *tool.Error too, a call that
	// cannot be recorded before it acts ends in that error.
	ErrFull = errors.New("no room")
	// ErrGone means that arguments are no longer stored.
	ErrGone = errors.New("no longer stored")
)

// Delivery is one hand-over of a call by the queue. Exactly one of Ack, Leave, Retry and
// Move ends it; after Move with an error Retry does.
type Delivery interface {
	// LoadArguments reads the arguments into the call that were too large for its message.
	LoadArguments(ctx context.Context) error
	// Release frees the slot. It is called once.
	Release()
	// Ack takes the call off the queue. Its result, or its parked form, is stored.
	Ack()
	// Leave ends the heartbeats of this delivery: another one runs the call.
	Leave()
	// Retry returns the call to the queue, which delivers it again after a pause.
	Retry(after time.Duration)
	// WaitLane returns the lane in which the call may wait for room.
	WaitLane() string
	// Move puts a copy of the call onto a lane of its pool and takes this one off.
	Move(lane string, done func(error))
}

// Engine runs the tool of a call.
type Engine interface {
	Execute(ctx context.Context, j *engine.Job) engine.Outcome
}

// Results stores results. The first one of a call is its result.
type Results interface {
	// Encode returns a result as it is stored.
	Encode(*protocol.Result) ([]byte, error)
	// StoreLarge stores a value that is too large for a message under a name of the
	// attempt.
	StoreLarge(ctx context.Context, c *Call, name string, value []byte) (*protocol.ResultRef, error)
	// Store stores the result of a call, and calls done once. [ErrExists] means that one is
	// stored already.
	Store(one Ended, done func(error))
	// Find returns the stored result of a call outside of groups, nil if there is none. An
	// empty pool means that it is not known.
	Find(ctx context.Context, tenant, pool, callID string) (*Stored, error)
}

// Groups stores results of several calls in one message.
type Groups interface {
	// StoreGroup stores the results of calls of one tenant, pool and dispatcher, and calls
	// done once. [ErrExists] means that a group of this id is stored.
	StoreGroup(id string, all []Ended, done func(error))
	// GroupRoom returns how many bytes a group may have. A group that is refused then
	// means that there is no room for single results either.
	GroupRoom() int64
}

// Ended is the result of a call, with its final record and, where they are kept, its
// arguments.
type Ended struct {
	Call *Call
	// Acts is set if an attempt of the call may change something, Failed if the call has not
	// succeeded.
	Acts, Failed bool

	Result, Record, Arguments []byte
}

// Stored identifies the attempt that a stored result is of.
type Stored struct {
	Worker  string
	Attempt int
}

// Records stores audit records.
type Records interface {
	// Encode returns a record as it is stored.
	Encode(*protocol.AuditRecord) ([]byte, error)
	// Send stores a record on the audit trail, and calls done once.
	Send(r *protocol.AuditRecord, done func(error))
	// Summary returns what a record holds of a tool's result.
	Summary(result []byte) string
}

// Fences stores fences.
type Fences interface {
	// Read returns the fence of a call, nil if there is none.
	Read(ctx context.Context, tenant, callID string) (*call.Fence, error)
	// Write stores the fence of a call. With [ErrExists] it returns the stored one.
	Write(ctx context.Context, tenant, callID string, f call.Fence) (*call.Fence, error)
}

// Ownership is the answer of other processes about a call.
type Ownership int

const (
	// NotElsewhere means that no process answered in time.
	NotElsewhere Ownership = iota
	// RunningElsewhere means that another worker runs the call.
	RunningElsewhere
	// FinishedElsewhere means that a dispatcher knows of the call's result in a group.
	FinishedElsewhere
)

// Owners finds the owners of calls.
type Owners interface {
	// Elsewhere requests an answer from all other processes.
	Elsewhere(ctx context.Context, tenant, callID string) Ownership
	// Lost returns the workers that may have had the attempt before this one and do not
	// answer; certain is set if it is known which of them had it.
	Lost(ctx context.Context, c *Call) (workers []string, certain bool)
}

// Events publishes the events of calls. Delivery is not promised.
type Events interface {
	Publish(at time.Time, c *Call, kind string, data []byte)
}

// Shortage is the state of the message store.
type Shortage int

const (
	// NoShortage means that results and records can be stored.
	NoShortage Shortage = iota
	// Full means that there is no room for them.
	Full
	// Silent means that the store does not answer. Only a write shows that it does again.
	Silent
)

// Storage reports whether results and records can be stored. It is read once per call.
type Storage interface{ Shortage() Shortage }

// Home is the worker that the user of a call is bound to, and its lane.
type Home struct {
	Worker, Lane string
	// Moved is set if files of the user may be on another worker.
	Moved bool
}

// Router finds the lanes of calls that this worker should not run.
type Router interface {
	// Home returns the worker that the call's user is bound to; false if there is none, or
	// if the call must stay.
	Home(ctx context.Context, c *Call) (Home, bool, error)
	// Lane returns the lane from which a worker with the call's tool takes it. If no live
	// worker has the tool and the call does not wait for one, it returns false and the
	// reason.
	Lane(c *Call) (lane string, ok bool, reason string)
	// Commits reports whether the call's tool is transactional: an attempt without a
	// result may have committed its changes.
	Commits(c *Call) bool
}
