package stream_test

import (
	"testing"

	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

// TestExtentIsOneState reads the extent while records are stored: no more are counted than lie
// up to its last place. The server counts the records of a tenant after it reads the
// last place.
func TestExtentIsOneState(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	store := stream.On(q.Conn)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		room := make(chan struct{}, 64)
		for {
			select {
			case <-stop:
				return
			case room <- struct{}{}:
				store.Record("acme", "echo", []byte("{}"), func(error) { <-room })
			}
		}
	}()
	for range 60 {
		ext, err := store.Extent(t.Context(), "acme")
		if err != nil {
			t.Fatal(err)
		}
		if ext.Own > ext.Last {
			t.Errorf("the extent counts %d records up to place %d", ext.Own, ext.Last)
			break
		}
	}
	close(stop)
	<-done
}
