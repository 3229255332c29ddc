package engine

import (
	"context"
	"errors"

	"github.com/helve-dev/helve/tool"
)

// Work is the store port of a job: the buffered changes of its tool.
type Work interface {
	// Commit stores the changes with the result of the call, and returns nil; or, with
	// nothing stored, the result of another attempt, which has committed the call. The
	// error is [ErrStale], [ErrUncertain], or the end of the call: nothing was stored.
	Commit(ctx context.Context, res tool.Result) (*Committed, error)
	// Reset forgets the changes and what was read, before the tool runs again.
	Reset()
}

// Committed is the stored outcome of a call: a result, or the error that keeps attempts
// from committing.
type Committed struct {
	Result tool.Result
	Err    *tool.Error
	// Attempt is the attempt of the call that stored it.
	Attempt int
}

// The errors of Work.Commit after which the call has not ended.
var (
	// ErrStale means that another call changed what the tool has read.
	ErrStale = errors.New("what the tool has read was changed meanwhile")
	// ErrUncertain means that it is not known whether the changes are stored.
	ErrUncertain = errors.New("it is not known whether the changes are stored")
)

// transactional reports whether the job's changes are committed with its result.
func (j *Job) transactional() bool { return j.entry != nil && j.entry.Tool.Transactional }
