package peer_test

import (
	"context"
	"testing"

	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

// TestAfterFlushTheServiceIsKnown: without the flush the first request of another process
// sometimes finds no responder.
func TestAfterFlushTheServiceIsKnown(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	served, asking := queuetest.Connect(t, srv), queuetest.Connect(t, srv)
	ctx := queuetest.Context(t)
	stop, err := served.API.Serve(ctx, "1.0.0", map[string]peer.Handler{
		"ping": func(context.Context, peer.Asker, []byte, func(string) string) ([]byte, error) {
			return []byte("pong"), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := served.Conn.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	reply, err := asking.Conn.JetStream().Conn().Request("helve.v1.acme.api.ping", nil, queuetest.Patience)
	if err != nil || string(reply.Data) != "pong" {
		t.Errorf("the first request = %v, %v, want pong", reply, err)
	}
	if err := stop(ctx); err != nil {
		t.Error(err)
	}
}
