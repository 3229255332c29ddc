package engine

import (
	"errors"
	"time"

	"github.com/helve-dev/helve/tool"
)

// Outcome is how a job ended. Exactly one holds: Control is set and there is
// nothing to publish, Err is set and the call failed, or Result is the answer.
type Outcome struct {
	// Result is the answer of a call that succeeded. Its Metadata is set for
	// failed calls too, where there is some: "ignored" lists unknown
	// parameters, by name, "timeout_ms" is the tool's own timeout where the
	// caller asked for more, and "retry_after_ms" how long a call that was one too
	// many is to wait.
	Result tool.Result
	// Err is nil on success. Its message is fit to be shown.
	Err *tool.Error
	// Control is one of ErrSettled, ErrElsewhere, ErrParked and ErrRetry, or an error
	// that wraps one (use errors.Is) and says more for the log.
	Control error
	// Started is when the job entered the pipeline.
	Started time.Time
	// Ran is the time spent in the tool, 0 if it was not started. For a deaf
	// tool it ends when the engine gave it up.
	Ran time.Duration
	// Total is the time from Started to the outcome.
	Total time.Duration
}

// The control errors. They end an Execute without an answer for the caller.
var (
	// ErrSettled means that a result is already stored: drop the job.
	ErrSettled = errors.New("a result is already stored")
	// ErrElsewhere means that another worker is running it: look again later.
	ErrElsewhere = errors.New("another worker is running the call")
	// ErrParked means that the call waits for a person, as data: let go of it.
	ErrParked = errors.New("the call waits for a person")
	// ErrRetry means that it could not be decided now: try again later.
	ErrRetry = errors.New("the call is to be tried again")
)

// The causes with which a worker cancels the context of a running job. A
// context that was cancelled without a cause counts as ErrShutdown.
var (
	// ErrCancelled means that the caller cancelled the call.
	ErrCancelled = errors.New("the call was cancelled")
	// ErrShutdown means that the worker must stop.
	ErrShutdown = errors.New("the worker is stopping")
)

func isControl(err error) bool {
	return errors.Is(err, ErrSettled) || errors.Is(err, ErrElsewhere) || errors.Is(err, ErrParked) || errors.Is(err, ErrRetry)
}
