package system

import (
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/test/testtime"
)

// System consists of dispatchers and workers that communicate through NATS only, with
// clients.
type System struct {
	// Config is the configuration of the processes that are started next.
	Config config.Config
	// Kit is the telemetry of the first dispatcher and of the workers.
	Kit *telemetry.Kit
	// Logs holds the log lines of all processes.
	Logs *Transcript
	// URLs are the addresses of the dispatchers, http://HOST:PORT. The metrics of the
	// workers are those of the first one, as in `helve up`.
	URLs []string
	// Drains end the dispatchers.
	Drains []func() error
	// Conn is a connection to the NATS server, with all rights.
	Conn *nats.Conn
	// Client is for requests to the dispatchers.
	Client *http.Client

	dir   string
	plan  Plan
	stops []stop // stopped in reverse order
}

// stop ends a part of a system.
type stop struct {
	what string
	run  func() error
}

// Launch starts a system and drains it at the end of the test.
func Launch(t *testing.T, p Plan) *System {
	t.Helper()
	s, err := Start(t.TempDir(), p)
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Errorf("the system did not drain: %v", err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *System) onStop(what string, run func() error) { s.stops = append(s.stops, stop{what, run}) }

// Stop drains the system and returns what failed. If one part does not end in time, the
// others get only a moment, since they may wait for it.
func (s *System) Stop() error {
	const moment = 5 * time.Second
	var errs []error
	limit := testtime.Patience() + moment // a process that drains has a limit of its own
	for _, part := range slices.Backward(s.stops) {
		err := within(limit, part.what, part.run)
		if late := (*lateError)(nil); errors.As(err, &late) {
			limit = moment
		}
		errs = append(errs, err)
	}
	s.stops = nil
	return errors.Join(errs...)
}
