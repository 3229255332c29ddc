package js

import (
	"time"

	"github.com/dlclark/regexp2/v2"
)

// TuneRegexp sets the limits of scripts' regular expressions in this process: backtrack
// is the size of the backtracking stack, in integers; timeout limits one match. goja
// treats a match that exceeds either limit as "no match", which is a wrong answer. So
// the timeout must be no shorter than the longest deadline of a call, and the stack as
// large as memory allows: 4<<20 in a child, more in a worker.
//
// The settings apply to the whole process and to expressions that are compiled
// afterwards: a program calls this once, before it runs any script.
func TuneRegexp(backtrack int, timeout time.Duration) {
	regexp2.DefaultOptimizationOptions.MaxBacktrackingStackSize = backtrack
	regexp2.DefaultMatchTimeout = timeout
}

// TuneWorker is TuneRegexp for a process that runs operators' scripts. A match cannot
// be interrupted there, so its timeout is also the time for which it may occupy a core
// after its call was answered.
func TuneWorker() { TuneRegexp(16<<20, 5*time.Minute) }
