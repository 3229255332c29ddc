package front

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
)

// door is the HTTP entrance: metrics and health from the first moment, the
// operations once it is open.
type door struct {
	inside atomic.Pointer[http.Handler]
}

func (d *door) open(operations http.Handler) { d.inside.Store(&operations) }

// check is the process's part in being ready.
func (d *door) check(context.Context) error {
	if d.inside.Load() == nil {
		return errors.New("the dispatcher is starting")
	}
	return nil
}

func (d *door) handler(admin http.Handler) http.Handler {
	mux := http.NewServeMux()
	for _, path := range []string{"/metrics", "/healthz", "/readyz", "/debug/pprof/"} {
		mux.Handle(path, admin)
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if h := d.inside.Load(); h != nil {
			(*h).ServeHTTP(w, r)
			return
		}
		notReady(w, r)
	})
	return mux
}
