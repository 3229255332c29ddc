package telemetry

import (
	"context"
	"net/http"
	"time"

	"go.uber.org/zap"
)

// AdminListener serves [Admin] on an address of its own.
type AdminListener struct {
	// Public serves on the main listener: everything, or health alone.
	Public http.Handler

	srv *Server
}

// OpenAdmin listens on addr, or nowhere if it is empty. The listener serves metrics and
// profiles regardless of opts.HealthOnly, which is for the main listener.
func OpenAdmin(addr string, opts AdminOptions, readHeader time.Duration, log *zap.Logger) (*AdminListener, error) {
	a := &AdminListener{Public: Admin(opts)}
	if addr == "" {
		if opts.HealthOnly {
			log.Info("metrics not served: the HTTP address is not a loopback one and there is no admin listener; set http.admin_addr")
		}
		return a, nil
	}
	opts.HealthOnly = false
	var err error
	if a.srv, err = Serve(addr, Admin(opts), readHeader); err != nil {
		return nil, err
	}
	log.Info("admin listener ready", zap.String("http", a.srv.URL()), zap.Bool("pprof", opts.Pprof))
	return a, nil
}

// URL returns the address of the listener, http://HOST:PORT; empty if there is none.
func (a *AdminListener) URL() string {
	if a.srv == nil {
		return ""
	}
	return a.srv.URL()
}

// Stop waits at most bound for running requests and closes the listener.
func (a *AdminListener) Stop(bound time.Duration) {
	if a.srv == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), bound)
	defer cancel()
	a.srv.Stop(ctx)
}
