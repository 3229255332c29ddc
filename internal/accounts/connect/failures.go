package connect

import (
	"sync"
	"time"

	"github.com/helve-dev/helve/tool"
)

const (
	// failureLife is the time for which a failure to replace a token is the answer to further
	// requests, so that calls that repeat do not all reach a provider in trouble.
	failureLife = time.Second
	// maxFailures bounds the failures that are kept.
	maxFailures = 10_000
)

// failures keeps the last failures. The zero value is ready for use.
type failures struct {
	mu   sync.Mutex
	last map[who]failure
}

type failure struct {
	err   *tool.Error
	until time.Time
}

func (f *failures) add(w who, err *tool.Error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.last == nil || len(f.last) >= maxFailures {
		f.last = map[who]failure{}
	}
	f.last[w] = failure{err, time.Now().Add(failureLife)}
}

// of returns the failure that is still the answer, or nil.
func (f *failures) of(w who) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	last, ok := f.last[w]
	if !ok || time.Now().After(last.until) {
		delete(f.last, w)
		return nil
	}
	return last.err
}

func (f *failures) clear(w who) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.last, w)
}
