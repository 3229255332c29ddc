package httpapi

import (
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/api"
)

const (
	// defaultBodyMemory is the default of [Options.BodyMemory].
	defaultBodyMemory = 256 << 20
	// requestCost is the cost of a request before its first byte: buffers of the
	// connection and of a decompressor.
	requestCost = 32 << 10
	// bodyFactor is the cost of a byte of a body: the buffers it is read into grow by
	// doubling.
	bodyFactor = 2
)

// budget bounds the memory of all bodies that are being read or whose requests are not
// answered yet, and each caller's share of it. A body is charged as it arrives, not as
// announced. A call may wait for minutes and references its request's body.
type budget struct {
	total, share int64

	mu   sync.Mutex
	used int64
	by   map[string]int64 // callers with a share in use
}

// newBudget returns a budget in which each caller's share is a quarter, or the cost of
// one body of maxBody bytes if that is more.
func newBudget(total int64, maxBody int) *budget {
	if total == 0 {
		total = defaultBodyMemory
	}
	return &budget{total: total, share: max(total/4, requestCost+bodyFactor*int64(maxBody+1)), by: map[string]int64{}}
}

func (b *budget) take(caller string, n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.used+n > b.total || b.by[caller]+n > b.share {
		return false
	}
	b.used += n
	b.by[caller] += n
	return true
}

func (b *budget) give(caller string, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
	if b.by[caller] -= n; b.by[caller] <= 0 {
		delete(b.by, caller)
	}
}

// lease is the part of a budget that one request uses.
type lease struct {
	budget *budget
	caller string
	held   int64
}

// open begins a request. Its error is a [*api.RequestError].
func (b *budget) open(caller string) (*lease, error) {
	l := &lease{budget: b, caller: caller}
	return l, l.grow(requestCost)
}

func (l *lease) grow(n int64) error {
	if !l.budget.take(l.caller, n) {
		return &api.RequestError{
			Type: "overloaded", Status: http.StatusServiceUnavailable, RetryAfter: time.Second,
			Msg: "too many large requests are arriving; send this one again after the time in Retry-After",
		}
	}
	l.held += n
	return nil
}

// keep releases all but the cost of a body of n bytes. It cannot fail.
func (l *lease) keep(n int64) {
	l.budget.give(l.caller, l.held-min(n, l.held))
	l.held = min(n, l.held)
}

// close releases the lease. It may be called twice.
func (l *lease) close() {
	l.budget.give(l.caller, l.held)
	l.held = 0
}

// metered is a body that is charged as it is read.
type metered struct {
	io.Reader
	io.Closer

	lease *lease
}

func (l *lease) meter(body io.ReadCloser) io.ReadCloser { return metered{body, body, l} }

// Read reads and charges.
func (m metered) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	if n > 0 {
		if over := m.lease.grow(bodyFactor * int64(n)); over != nil {
			return n, over
		}
	}
	return n, err
}

// payer returns the key of a request's share: the credential, or the address if no
// credential is required.
func payer(r *http.Request, by identity.Principal) string {
	if by.Open {
		return "address " + source(r.RemoteAddr)
	}
	return by.Tenant + "/" + by.User + "/" + by.Agent + "/" + by.Name
}
