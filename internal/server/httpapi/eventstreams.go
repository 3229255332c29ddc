package httpapi

import (
	"net/http"
	"sync"
	"time"

	"github.com/helve-dev/helve/internal/server/api"
)

// streamRetry is the delay after which a caller with too many streams should retry.
const streamRetry = 5 * time.Second

// eventStreams counts the event streams that each caller has open.
type eventStreams struct {
	most int

	mu   sync.Mutex
	open map[string]int
}

// begin counts a new stream. Its error is a [*api.RequestError].
func (s *eventStreams) begin(caller string) (end func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[string]int{}
	}
	if s.open[caller] >= s.most {
		return nil, &api.RequestError{
			Type: "rate_limited", Status: http.StatusTooManyRequests, RetryAfter: streamRetry,
			Msg: "this credential has as many event streams open as it may; close one, or follow several calls in one trace",
		}
	}
	s.open[caller]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.open[caller]--; s.open[caller] <= 0 {
			delete(s.open, caller)
		}
	}, nil
}
