package engine

import (
	"errors"
	"time"

	"github.com/helve-dev/helve/tool"
)

// Outcome is the end of a job. Exactly one holds: Control is set and there is
// nothing to publish, Err is set and the call failed, or Result is the answer.
type Outcome struct {
	// Result is the answer of a call that succeeded. Its Metadata is set for
	// failed calls too, where there is some: that of the error, "ignored" lists
	// unknown parameters, by name, "files" the files that a successful call has written, "timeout_ms" is the tool's own timeout where the
	// caller asked for more, and "retry_after_ms" how long a call that was one too
	// many is to wait.
	Result tool.Result
	// Err is nil on success. Its message is fit to be shown.
	Err *tool.Error
	// Attempt is the attempt that stored the result, if it was another one than this.
	Attempt int
	// Control is one of ErrAlreadyFinished, ErrRunningElsewhere, ErrParked, ErrRetry, ErrLacking and
	// ErrCrowded, or an error that wraps one (use errors.Is) and says more for the log.
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
	// ErrAlreadyFinished means that a result is already stored: drop the job.
	ErrAlreadyFinished = errors.New("a result is already stored")
	// ErrRunningElsewhere means that another worker is running it: look again later.
	ErrRunningElsewhere = errors.New("another worker is running the call")
	// ErrParked means that the call waits for a person, as data: let go of it.
	ErrParked = errors.New("the call waits for a person")
	// ErrRetry means that it could not be decided now: try again later.
	ErrRetry = errors.New("the call is to be tried again")
	// ErrLacking means that this worker lacks the tool, which is known to the platform:
	// another worker runs it.
	ErrLacking = errors.New("this worker does not have the tool")
	// ErrCrowded means that there was no room for the tool here: the call did nothing, and
	// waits elsewhere.
	ErrCrowded = errors.New("there is no room for the tool now")
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
	return errors.Is(err, ErrAlreadyFinished) || errors.Is(err, ErrRunningElsewhere) || errors.Is(err, ErrParked) ||
		errors.Is(err, ErrRetry) || errors.Is(err, ErrLacking) || errors.Is(err, ErrCrowded)
}
