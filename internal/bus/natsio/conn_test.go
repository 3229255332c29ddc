package natsio_test

import (
	"context"
	"errors"
	"testing"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

func TestConnectRefusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]natsio.Options{
		"no URL at all": {URL: "nats://[::1"},
		"no CA file":    {URL: "tls://127.0.0.1:1", CA: "no/such/ca.pem"},
		"no key":        {URL: "tls://127.0.0.1:1", Cert: "no/such/cert.pem", Key: "no/such/key.pem"},
		"no context":    {Context: "no-such-context-of-a-test"},
	} {
		if b, err := natsio.Connect(o); err == nil {
			b.Close()
			t.Errorf("%s: Connect succeeded, want an error", name)
		}
	}
}

func TestFlushEndsWhenNATSIsAway(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	q := queuetest.Connect(t, srv)
	srv.Stop()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := q.Conn.Flush(ctx); !errors.Is(err, natsio.ErrUnavailable) {
		t.Errorf("Flush without NATS = %v, want ErrUnavailable", err)
	}
}
