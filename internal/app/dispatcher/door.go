package dispatcher

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/helve-dev/helve/internal/telemetry"
)

// door is the HTTP server's handler: it serves metrics and health from the start, and
// the operations once it is open.
type door struct {
	inside atomic.Pointer[http.Handler]
}

// newDoor returns a closed door, which the health of the process shows.
func newDoor(health *telemetry.Health, id string) *door {
	d := &door{}
	health.Add("dispatcher "+id, d.check)
	return d
}

func (d *door) open(operations http.Handler) { d.inside.Store(&operations) }

// check reports whether the process has finished starting.
func (d *door) check(context.Context) error {
	if d.inside.Load() == nil {
		return errors.New("the dispatcher is starting")
	}
	return nil
}

// handler returns the handler of the listener. Operations do not pass its mux, which would
// redirect the paths of files that have to be refused.
func (d *door) handler(admin http.Handler) http.Handler {
	mux := http.NewServeMux()
	for _, path := range []string{"/metrics", "/healthz", "/readyz", "/debug/pprof/"} {
		mux.Handle(path, admin)
	}
	operations := func(w http.ResponseWriter, r *http.Request) {
		if h := d.inside.Load(); h != nil {
			(*h).ServeHTTP(w, r)
			return
		}
		notReady(w, r)
	}
	mux.HandleFunc("/", operations)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1/") {
			operations(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
