package sandbox

import "time"

// A run that computes for long yields to the short runs of others: at niceness 5 each of
// these waited for several of its time slices, at 19 for one at most.
const (
	// heavy is the CPU time after which a run yields if the child's priority can be
	// restored, and costly if it cannot: then the child is not used again, and another must
	// be started.
	heavy  = 5 * time.Millisecond
	costly = 50 * time.Millisecond
	// patience is the time for which a run has the lowest priority. A run that still computes then
	// has used only idle time, and continues at moderate, as does a costly one.
	patience = 3 * time.Second
	moderate = 10
	// enough is the time for which it has that. On a machine that is busy all the time with other
	// things it got a tenth of its share by then, and would not get its CPU limit within its wall
	// limit, so it has the child's own priority again.
	enough = 6 * time.Second
	// nicest is the greatest niceness of Linux.
	nicest = 19
)

// A stage is the priority of a run. It is eager until it has computed for long, then lowest, or
// moderate if the child's priority cannot be restored; after lowest moderate, and at last restored.
type stage uint8

const (
	eager stage = iota
	lowest
	moderately
	restored
)

// yields lowers the priority of a run that computes for long.
type yields struct {
	child *childProcess
	stage stage
	since time.Duration // the age of the run when the stage began
}

// first returns the time until the first check.
func (y *yields) first() time.Duration {
	if y.child.regains {
		return heavy
	}
	return costly
}

// look sets the priority of a run after the used CPU time and the past wall time, and
// returns the time until the next check.
func (y *yields) look(used, past time.Duration) time.Duration {
	switch stayed := past - y.since; {
	case y.stage == eager && used < y.first():
		return max(y.first()-used, past/4) // a run that waits is checked less and less often
	case y.stage == eager && y.child.regains:
		y.enter(lowest, past)
	case y.stage == eager, y.stage == lowest && stayed >= patience:
		y.enter(moderately, past)
	case y.stage == moderately && y.child.regains && stayed >= enough:
		y.enter(restored, past)
	}
	return patience
}

func (y *yields) enter(s stage, past time.Duration) {
	y.stage, y.since = s, past
	y.child.setNice(y.nice()) // a run that has ended needs none
}

// nice returns the niceness of the run.
func (y *yields) nice() int {
	switch y.stage {
	case lowest:
		return nicest
	case moderately:
		return max(moderate, y.child.nice)
	default:
		return y.child.nice
	}
}

// end restores a child's priority. It reports whether that succeeded.
func (y *yields) end() bool { return y.stage == eager || y.child.setNice(y.child.nice) }
