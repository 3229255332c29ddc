package execution

import (
	"sync"
	"sync/atomic"
	"time"
)

// quick is the time that a function added to delayed waits.
const quick = 2 * time.Millisecond

// delayed calls functions that nobody has called quick after they were added. All share
// one timer: most are called before, and a timer each took twice the time and memory.
type delayed struct {
	mu      sync.Mutex
	waiting []*delayedFunc // in the order of their times
	armed   bool
}

// delayedFunc is a function that is called once.
type delayedFunc struct {
	once sync.Once
	over atomic.Bool
	do   func()
	due  time.Time
}

// now calls the function, or waits until another goroutine has.
func (f *delayedFunc) now() {
	f.once.Do(func() {
		f.do()
		f.over.Store(true)
	})
}

// add returns do to be called once, by the caller or quick after at. The latter is not
// before that of an earlier add, or a moment before it.
func (s *delayed) add(at time.Time, do func()) (now func()) {
	f := &delayedFunc{do: do, due: at.Add(quick)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = append(s.waiting, f)
	if !s.armed {
		s.armed = true
		time.AfterFunc(quick, s.fire)
	}
	return f.now
}

// fire calls the functions that are due, and sets the timer for the next function that was not
// called yet.
func (s *delayed) fire() {
	for _, f := range s.take(time.Now()) {
		f.now()
	}
}

func (s *delayed) take(now time.Time) (due []*delayedFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for ; n < len(s.waiting); n++ {
		f := s.waiting[n]
		if f.over.Load() {
			continue
		}
		if wait := f.due.Sub(now); wait > 0 {
			time.AfterFunc(wait, s.fire)
			break
		}
		due = append(due, f)
	}
	left := copy(s.waiting, s.waiting[n:])
	clear(s.waiting[left:])
	s.waiting = s.waiting[:left]
	s.armed = left > 0
	return due
}
