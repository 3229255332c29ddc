package system

import (
	"context"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/test/testtime"
)

// StoredMessages returns all messages of a stream on some subjects.
func (s *System) StoredMessages(t testing.TB, stream, filter string) (all []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testtime.Patience())
	defer cancel()
	c, err := s.Stream(t, stream).OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{FilterSubjects: []string{filter}})
	if err != nil {
		t.Fatal(err)
	}
	info, err := c.Info(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for range info.NumPending {
		msg, err := c.Next(jetstream.FetchMaxWait(testtime.Patience()))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(msg.Data()))
	}
	return all
}

// StoredRecords returns every stored record of a tenant, in its stored form.
func (s *System) StoredRecords(t testing.TB, tenant string) (all []string) {
	t.Helper()
	QueryRecords(t, s.HTTP(0), tenant, nil) // its answer waits until final records are written
	for _, text := range s.StoredMessages(t, "HELVE_AUDIT", "helve.v1."+tenant+".audit.>") {
		all = append(all, strings.Split(text, "\n")...) // no record holds a line break
	}
	return all
}

// Stream opens one of Helve's streams.
func (s *System) Stream(t testing.TB, name string) jetstream.Stream {
	t.Helper()
	js, err := jetstream.New(s.Conn)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return stream
}

// StreamConfig returns the configuration of one of Helve's streams.
func (s *System) StreamConfig(t testing.TB, name string) jetstream.StreamConfig {
	t.Helper()
	return s.Stream(t, name).CachedInfo().Config
}

// PublishCall publishes a message to the work queue and waits until it is stored.
func (s *System) PublishCall(t testing.TB, tenant, tool, message string) {
	t.Helper()
	ack, err := s.Conn.Request("helve.v1."+tenant+".call.default."+tool, []byte(message), testtime.Patience())
	if err != nil || strings.Contains(string(ack.Data), `"error"`) {
		t.Fatalf("enqueue: %v %s", err, ack.Data)
	}
}
