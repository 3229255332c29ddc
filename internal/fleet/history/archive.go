package history

import (
	"maps"
	"time"
)

const (
	// Kept is the time for which minutes are kept.
	Kept = 7 * 24 * time.Hour
	// single is the number of the newest minutes that are kept one by one: an hour, and as
	// many as a store may be late with.
	single = 75
	// ahead is the number of minutes by which the clock of another process may be ahead.
	ahead = 2
)

// The lengths of steps in minutes, and how many steps are kept of each.
const (
	fine, coarse           = 5, 30
	fineSteps, coarseSteps = 24 * 60 / fine, 7 * 24 * 60 / coarse
)

// archive keeps the minutes that are known.
type archive struct {
	newest int64
	// own are the newest minutes as this process counted them, known as they are stored.
	own, known map[int64]Minute
	// fine and coarse are the sums of the minutes of a step, by its number.
	fine, coarse map[int64]Minute
}

func newArchive() archive {
	return archive{own: map[int64]Minute{}, known: map[int64]Minute{}, fine: map[int64]Minute{}, coarse: map[int64]Minute{}}
}

// counted takes a minute as this process has counted it so far.
func (a *archive) counted(m Minute, now time.Time) { a.put(a.own, m, now) }

// stored takes a minute as the store has it.
func (a *archive) stored(m Minute, now time.Time) { a.put(a.known, m, now) }

// put adds a minute to its steps. If something was known of it, the steps are added up again:
// their minutes are all among the newest.
func (a *archive) put(to map[int64]Minute, m Minute, now time.Time) {
	if !a.opens(m, now) {
		return
	}
	number := m.Number
	_, before := a.minute(number)
	to[number] = m
	if !before {
		a.fine[number/fine] = a.fine[number/fine].then(m)
		a.coarse[number/coarse] = a.coarse[number/coarse].then(m)
		return
	}
	a.fine[number/fine] = a.added(number/fine*fine, fine)
	a.coarse[number/coarse] = a.added(number/coarse*coarse, coarse)
}

// opens makes room for a minute, and reports whether it is kept: minutes come in the order of
// time, but for the newest.
func (a *archive) opens(m Minute, now time.Time) bool {
	if m.Number > now.Unix()/60+ahead || m.Number <= a.newest-single {
		return false
	}
	if m.Number > a.newest {
		a.newest = m.Number
		forget(a.own, a.newest-single)
		forget(a.known, a.newest-single)
		forget(a.fine, a.newest/fine-fineSteps)
		forget(a.coarse, a.newest/coarse-coarseSteps)
	}
	return true
}

// forget removes what is of the number to or before.
func forget(of map[int64]Minute, to int64) {
	maps.DeleteFunc(of, func(number int64, _ Minute) bool { return number <= to })
}

// minute returns a minute of the newest.
func (a *archive) minute(number int64) (Minute, bool) {
	m, _ := Merge(a.known[number], a.own[number])
	return m, m.Watched > 0
}

// added returns the sum of n minutes.
func (a *archive) added(from, n int64) (sum Minute) {
	for number := from; number < from+n; number++ {
		if m, ok := a.minute(number); ok {
			sum = sum.then(m)
		}
	}
	return sum
}
