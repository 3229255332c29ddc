package system

import (
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/helve-dev/helve/internal/test/testtime"
)

// PlainServer runs a NATS server with JetStream and the options set by change.
func PlainServer(t *testing.T, change func(*server.Options)) *server.Server {
	t.Helper()
	opts := &server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true}
	if change != nil {
		change(opts)
	}
	srv, err := server.NewServer(opts)
	if err != nil {
		t.Fatal(err)
	}
	srv.Start()
	t.Cleanup(func() {
		srv.Shutdown()
		Await(t, "the NATS server has shut down", srv.WaitForShutdown)
	})
	if !srv.ReadyForConnections(testtime.Patience()) {
		t.Fatal("the NATS server is not ready")
	}
	return srv
}
