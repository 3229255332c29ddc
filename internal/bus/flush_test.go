package bus_test

import (
	"context"
	"errors"
	"testing"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/bus/bustest"
)

// TestAfterFlushTheServiceIsKnown: without it the first request of somebody
// else finds no responder, now and then.
func TestAfterFlushTheServiceIsKnown(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	served, asking := bustest.Connect(t, srv), bustest.Connect(t, srv)
	ctx := bustest.Context(t)
	stop, err := served.Serve(ctx, "1.0.0", map[string]bus.Handler{
		"ping": func(context.Context, string, []byte, func(string) string) ([]byte, error) { return []byte("pong"), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := served.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	reply, err := asking.JetStream().Conn().Request("helve.v1.acme.api.ping", nil, bustest.Patience)
	if err != nil || string(reply.Data) != "pong" {
		t.Errorf("the first request = %v, %v, want pong", reply, err)
	}
	if err := stop(ctx); err != nil {
		t.Error(err)
	}
}

func TestFlushEndsWhenNATSIsAway(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	b := bustest.Connect(t, srv)
	srv.Stop()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Flush(ctx); !errors.Is(err, bus.ErrUnavailable) {
		t.Errorf("Flush without NATS = %v, want ErrUnavailable", err)
	}
}
