package storm

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// streams reads the state of the server, as any program could.
type streams struct {
	nc *nats.Conn
	js jetstream.JetStream
}

const (
	anyResult = "helve.v1.default.result.pool.origin.call"
	anyRecord = "helve.v1.default.audit.tool"
	// readTimeout limits one answer of the server, which may just have been started.
	readTimeout = 30 * time.Second
)

func look(ctx context.Context, url string) (*streams, error) {
	nc, err := nats.Connect(url, nats.Timeout(readTimeout), nats.RetryOnFailedConnect(false))
	for end := time.Now().Add(readTimeout); err != nil && time.Now().Before(end); {
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return nil, err
		}
		nc, err = nats.Connect(url, nats.Timeout(readTimeout))
	}
	if err != nil {
		return nil, err
	}
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(readTimeout))
	if err != nil {
		nc.Close()
		return nil, err
	}
	return &streams{nc, js}, nil
}

func (s *streams) close() { s.nc.Close() }

// again repeats a request to the server until it is answered: a request to a server of
// a cluster that loses its leader meanwhile gets no answer.
func (s *streams) again(ctx context.Context, do func(context.Context) error) error {
	for end := time.Now().Add(readTimeout); ; {
		once, stop := context.WithTimeout(ctx, clusterTimeout)
		err := do(once)
		stop()
		if err == nil || time.Now().After(end) || ctx.Err() != nil {
			return err
		}
		if paused := pause(ctx, 50*time.Millisecond); paused != nil {
			return paused
		}
	}
}

func (s *streams) of(ctx context.Context, subject string) (stream jetstream.Stream, err error) {
	err = s.again(ctx, func(ctx context.Context) error {
		name, err := s.js.StreamNameBySubject(ctx, subject)
		if err != nil {
			return fmt.Errorf("the stream of %s: %w", subject, err)
		}
		stream, err = s.js.Stream(ctx, name)
		return err
	})
	return stream, err
}

func (s *streams) update(ctx context.Context, cfg jetstream.StreamConfig) error {
	return s.again(ctx, func(ctx context.Context) error {
		_, err := s.js.UpdateStream(ctx, cfg)
		return err
	})
}

// fill limits the results stream to its current contents and returns a function that
// removes the limit.
func (s *streams) fill(ctx context.Context) (open func(context.Context) error, err error) {
	stream, err := s.of(ctx, anyResult)
	if err != nil {
		return nil, err
	}
	info := stream.CachedInfo()
	bounded := info.Config
	bounded.MaxBytes = int64(max(info.State.Bytes, 1))
	if err := s.update(ctx, bounded); err != nil {
		return nil, err
	}
	return func(ctx context.Context) error { return s.update(ctx, info.Config) }, nil
}

// read calls each with every message of the stream of subject.
func (s *streams) read(ctx context.Context, subject string, each func(jetstream.Msg) error) error {
	stream, err := s.of(ctx, subject)
	if err != nil {
		return err
	}
	c, err := stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{})
	if err != nil {
		return err
	}
	messages, err := c.Messages()
	if err != nil {
		return err
	}
	defer messages.Stop()
	for left := stream.CachedInfo().State.Msgs; left > 0; left-- {
		msg, err := messages.Next(jetstream.NextContext(ctx))
		if err != nil {
			return fmt.Errorf("%d messages of %s could not be read: %w", left, subject, err)
		}
		if err := each(msg); err != nil {
			return err
		}
	}
	return nil
}

// results counts the stored results of each call. Of several the first is valid.
func (s *streams) results(ctx context.Context) (map[string]int, error) {
	found := map[string]int{}
	err := s.read(ctx, anyResult, func(msg jetstream.Msg) error {
		for _, call := range calls(msg) {
			found[call]++
		}
		return nil
	})
	return found, err
}

// calls returns the calls whose results are in a message.
func calls(msg jetstream.Msg) []string {
	group := msg.Headers().Get("Helve-Group")
	if group == "" {
		return []string{msg.Subject()[strings.LastIndexByte(msg.Subject(), '.')+1:]}
	}
	names := strings.Fields(group) // of the form call_id:length
	for i := range names {
		names[i], _, _ = strings.Cut(names[i], ":")
	}
	return names
}

// records counts the final records of each call in the trail, whose messages hold one
// or more, one per line.
func (s *streams) records(ctx context.Context) (map[string]int, error) {
	found := map[string]int{}
	err := s.read(ctx, anyRecord, func(msg jetstream.Msg) error {
		for line := range bytes.Lines(msg.Data()) {
			var r struct {
				AuditID string `json:"audit_id"`
				CallID  string `json:"call_id"`
				Phase   string `json:"phase"`
			}
			if err := json.Unmarshal(line, &r); err != nil {
				return fmt.Errorf("record %q: %w", line, err)
			}
			if strings.HasPrefix(r.AuditID, "f-") && r.Phase != "superseded" {
				found[r.CallID]++
			}
		}
		return nil
	})
	return found, err
}
