package client

import (
	"errors"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/embedded"
)

// TestLostNATS loses the connection under a request that has arrived.
func TestLostNATS(t *testing.T) {
	srv, err := embedded.Start(embedded.Options{Addr: "127.0.0.1:0", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Stop)
	nc, err := nats.Connect(srv.URL(), nats.NoReconnect())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	c := connect(t, &far{url: srv.URL()})
	nc.Subscribe("helve.v1.*.api.>", func(*nats.Msg) { go srv.Stop() })
	nc.Flush()
	_, err = c.Call(t.Context(), "x", nil)
	want := "unavailable: cannot reach " + srv.URL() + ": the connection was lost"
	if !errors.Is(err, ErrUnreachable) || err.Error() != want {
		t.Errorf("Call = %v, want %s", err, want)
	}
}
