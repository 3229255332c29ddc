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
	// nicest is the greatest niceness of Linux.
	nicest = 19
)

// yields lowers the priority of a run that computes for long.
type yields struct {
	child *childProcess
	now   int           // the niceness that was set; 0 before
	since time.Duration // the age of the run at that time
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
	switch {
	case y.now == 0 && used < y.first():
		return max(y.first()-used, past/4) // a run that waits is checked less and less often
	case y.now == 0 && y.child.regains:
		y.set(nicest, past)
	case y.now == 0, y.now == nicest && past-y.since >= patience:
		y.set(max(moderate, y.child.nice), past)
	}
	return patience
}

func (y *yields) set(nice int, past time.Duration) {
	y.now, y.since = nice, past
	y.child.setNice(nice) // a run that has ended needs none
}

// end restores a child's priority. It reports whether that succeeded.
func (y *yields) end() bool { return y.now == 0 || y.child.setNice(y.child.nice) }
