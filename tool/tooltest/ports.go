package tooltest

import (
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/helve-dev/helve/tool"
)

var (
	_ tool.Clock  = Clock{}
	_ tool.HTTP   = Doer(nil)
	_ tool.Events = (*Events)(nil)
	_ tool.Files  = Files(nil)
)

// Clock always returns T.
type Clock struct{ T time.Time }

// Now returns T.
func (c Clock) Now() time.Time { return c.T }

// Doer answers requests with a function, for tests without a server of
// net/http/httptest. It checks no addresses and follows no redirects.
type Doer func(*http.Request) (*http.Response, error)

// Do calls d.
func (d Doer) Do(req *http.Request) (*http.Response, error) { return d(req) }

// Event is an event that a tool emitted.
type Event struct {
	Kind string
	Data any
}

// Events records the events of a tool. The zero value is ready to use, from any number
// of goroutines.
type Events struct {
	mu  sync.Mutex
	all []Event
}

// Emit records an event.
func (e *Events) Emit(kind string, data any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, Event{Kind: kind, Data: data})
}

// All returns the events so far, oldest first.
func (e *Events) All() []Event {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.all)
}
