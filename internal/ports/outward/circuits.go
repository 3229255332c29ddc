package outward

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/sony/gobreaker/v2"

	"github.com/helve-dev/helve/tool"
)

const (
	// Threshold is the number of consecutive failures that opens a circuit.
	Threshold = 10
	// Window is the time within which they must occur.
	Window = 5 * time.Minute
	// OpenFor is the time for which a circuit stays open.
	OpenFor = 10 * time.Second
	// MaxCircuits bounds the servers that are tracked, of all tenants.
	MaxCircuits = 4096

	// recent is the time after its last opening for which a circuit that has not closed
	// counts as failing, as in the alert HelveCircuitOpen: it is not open all the time,
	// because every OpenFor it waits for the next request.
	recent = time.Minute
	// remembered is the time after which a circuit without requests is not counted.
	remembered = 15 * time.Minute
)

// target is a server, as one tenant requests it. Reached is set where only the context of a
// call lets requests through (tool.WithReach): other calls must not learn of the server.
type target struct {
	tenant, address string
	reached         bool
}

// circuits holds the circuits of servers with failures; a server that works has none.
type circuits struct {
	opened func(tenant, address string)

	mu  sync.Mutex
	all *lru.Cache[target, *circuit]
}

// circuit is the state of one server.
type circuit struct {
	breaker *gobreaker.TwoStepCircuitBreaker[struct{}]

	mu       sync.Mutex
	until    time.Time // when the next request may go through, if it is open
	lastUsed time.Time
}

func newCircuits(opened func(tenant, address string)) *circuits {
	all, err := lru.New[target, *circuit](MaxCircuits)
	if err != nil {
		panic(err) // of a size below 1
	}
	return &circuits{opened: opened, all: all}
}

var (
	errFailed  = errors.New("the server failed")
	errIgnored = errors.New("the outcome says nothing about the server")
)

// begin admits a request, or returns the error that ends it. A server without failures has
// no circuit, and costs a lookup.
func (c *circuits) begin(to target) (end func(verdict), err error) {
	at, tracked := c.all.Get(to)
	if !tracked {
		return func(v verdict) { c.first(to, v) }, nil
	}
	done, err := at.begin()
	if err != nil {
		return nil, at.refusal(to.address)
	}
	return func(v verdict) { c.end(to, at, done, v) }, nil
}

// first ends a request that began when the server had no circuit.
func (c *circuits) first(to target, v verdict) {
	if v == ignored {
		return
	}
	at, tracked := c.all.Get(to)
	if !tracked {
		if v == worked {
			return
		}
		at = c.add(to)
	}
	if done, err := at.begin(); err == nil {
		c.end(to, at, done, v)
	}
}

// add returns the circuit of a server, a new one if there is none.
func (c *circuits) add(to target) *circuit {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, tracked := c.all.Get(to); tracked {
		return at
	}
	at := &circuit{}
	at.breaker = gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		MaxRequests: 1, Interval: Window, Timeout: OpenFor,
		ReadyToTrip: func(n gobreaker.Counts) bool { return n.ConsecutiveFailures >= Threshold },
		IsExcluded:  func(err error) bool { return errors.Is(err, errIgnored) },
		OnStateChange: func(_ string, _, state gobreaker.State) {
			if state != gobreaker.StateOpen {
				return
			}
			at.mu.Lock()
			at.until = time.Now().Add(OpenFor)
			at.mu.Unlock()
			if c.opened != nil {
				c.opened(to.tenant, to.address)
			}
		},
	})
	c.all.Add(to, at)
	return at
}

// end passes the outcome of a request to its circuit, which is forgotten once the server
// works.
func (c *circuits) end(to target, at *circuit, done func(error), v verdict) {
	switch v {
	case worked:
		done(nil)
		if at.breaker.State() == gobreaker.StateClosed {
			c.all.Remove(to)
		}
	case requestError:
		done(errFailed)
	default:
		done(errIgnored)
	}
}

// begin admits a request, or returns an error.
func (at *circuit) begin() (done func(error), err error) {
	at.mu.Lock()
	at.lastUsed = time.Now()
	at.mu.Unlock()
	return at.breaker.Allow()
}

// refusal returns the error for a request that the circuit does not admit.
func (at *circuit) refusal(address string) error {
	at.mu.Lock()
	wait := time.Until(at.until) // past while the one request is under way
	at.mu.Unlock()
	s := seconds(wait)
	return tool.Fail(tool.NetworkError, "%s failed several times in a row, so no request is sent to it now; try again in %d seconds",
		address, s).With("retryAfter", s)
}

// seconds returns a wait in full seconds, at least one.
func seconds(wait time.Duration) int {
	return max(1, int((wait+time.Second-1)/time.Second))
}

// Count returns the number of circuits with failures, by their state: closed, open, or
// half_open if the next request decides.
func (o *Outward) Count() map[string]int {
	n := map[string]int{"closed": 0, "half_open": 0, "open": 0}
	for _, to := range o.circuits.all.Keys() {
		at, tracked := o.circuits.all.Peek(to)
		if !tracked {
			continue
		}
		at.mu.Lock()
		idle := time.Since(at.lastUsed)
		at.mu.Unlock()
		if idle > remembered {
			o.circuits.all.Remove(to)
			continue
		}
		switch at.breaker.State() {
		case gobreaker.StateOpen:
			n["open"]++
		case gobreaker.StateHalfOpen:
			n["half_open"]++
		default:
			n["closed"]++
		}
	}
	return n
}

// Failing is a server that keeps failing, as one tenant requests it.
type Failing struct {
	Tenant, Server string
}

// Failing returns the servers whose circuits opened a short time ago and have not closed
// since, by tenant and server.
func (o *Outward) Failing() []Failing {
	var list []Failing
	for _, to := range o.circuits.all.Keys() {
		at, tracked := o.circuits.all.Peek(to)
		if !tracked || at.breaker.State() == gobreaker.StateClosed {
			continue
		}
		at.mu.Lock()
		opened := at.until.Add(-OpenFor)
		at.mu.Unlock()
		if time.Since(opened) < recent {
			list = append(list, Failing{to.tenant, to.address})
		}
	}
	slices.SortFunc(list, func(a, b Failing) int {
		return cmp.Or(cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Server, b.Server))
	})
	return slices.Compact(list) // a server may be reached in two ways
}
