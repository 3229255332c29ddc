package natsio_test

import (
	"context"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

// TestStreamMadeMeanwhile tests that a process uses a stream which another one
// made, with other settings, between its look and its write.
func TestStreamMadeMeanwhile(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	js, mine := q.Conn.JetStream(), jetstream.StreamConfig{Name: "MADE_TWICE", Subjects: []string{"twice"}, MaxMsgs: 10}
	writes := 0
	err := natsio.Topology{Conn: q.Conn}.Ensure(queuetest.Context(t), mine.Name,
		func(is jetstream.StreamConfig) bool { return is.MaxMsgs == mine.MaxMsgs },
		func(ctx context.Context, is jetstream.StreamConfig) error {
			writes++
			if is.Name != "" {
				_, err := js.UpdateStream(ctx, mine)
				return err
			}
			other := mine
			other.MaxMsgs = 20
			if _, err := js.CreateStream(ctx, other); err != nil {
				t.Fatal(err)
			}
			_, err := js.CreateStream(ctx, mine)
			return err
		})
	made, found := js.Stream(queuetest.Context(t), mine.Name)
	if found != nil {
		t.Fatal(found)
	}
	if got := made.CachedInfo().Config.MaxMsgs; err != nil || writes != 2 || got != mine.MaxMsgs {
		t.Errorf("ensure = %v after %d writes, stream of %d messages; want none after 2, of %d", err, writes, got, mine.MaxMsgs)
	}
}
