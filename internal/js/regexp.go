package js

import (
	"time"

	"github.com/dlclark/regexp2/v2"
)

// TuneRegexp sets how far regular expressions of scripts may go in this process:
// backtrack is the size of the stack for backtracking, in integers; timeout is
// how long one match may take. goja takes a match that exceeds either for "no
// match", which is a wrong answer, so the timeout must be no shorter than the
// longest deadline of a call, and the stack as large as memory allows: 4<<20 in
// a child, more in a worker.
//
// The settings are those of the whole process and hold for expressions that are
// compiled afterwards: a program calls this once, before it runs any script.
func TuneRegexp(backtrack int, timeout time.Duration) {
	regexp2.DefaultOptimizationOptions.MaxBacktrackingStackSize = backtrack
	regexp2.DefaultMatchTimeout = timeout
}

// TuneWorker is TuneRegexp for a process that runs operators' scripts. A match
// cannot be interrupted there, so its timeout is also how long one may keep a core
// after its call was answered.
func TuneWorker() { TuneRegexp(16<<20, 5*time.Minute) }
