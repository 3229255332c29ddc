package natsio

import (
	"context"
	"encoding/json"
	"maps"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// State is the state of a connection as it was last measured.
type State struct {
	// RoundTrip is the time of the last ping, JetStream that of the last request to
	// JetStream; 0 before the first. Up is set if that request was answered.
	RoundTrip, JetStream time.Duration
	Up                   bool
	Reconnects           uint64
	// Leases are the leases that this process held since it was started, and whether it
	// holds them now.
	Leases map[string]bool
}

// state stores the measurements.
type state struct {
	mu     sync.Mutex
	last   State
	leases map[string]bool
}

func (s *state) lease(name string, held bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.leases == nil {
		s.leases = map[string]bool{}
	}
	s.leases[name] = held
}

// StateOf returns the state of a connection without waiting.
func StateOf(c *Conn) State {
	c.state.mu.Lock()
	defer c.state.mu.Unlock()
	s := c.state.last
	s.Leases, s.Reconnects = maps.Clone(c.state.leases), c.nc.Stats().Reconnects
	return s
}

const (
	// measureEvery is the time between two measurements, measureWithin the time after which
	// one has failed.
	measureEvery  = 2 * time.Second
	measureWithin = 2 * time.Second
)

// Measure measures a connection periodically until ctx ends, with a ping to the server and
// a request for the state of a stream.
func Measure(ctx context.Context, c *Conn, stream string) {
	tick := time.NewTicker(measureEvery)
	defer tick.Stop()
	for {
		c.measure(ctx, stream)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// answeredWell reports whether the information about a stream is no error, and the stream
// has a leader: without a quorum a member answers that knows none.
func answeredWell(answer []byte) bool {
	var info struct {
		Error   *struct{} `json:"error"`
		Cluster *struct {
			Leader string `json:"leader"`
		} `json:"cluster"`
	}
	return json.Unmarshal(answer, &info) == nil && info.Error == nil && (info.Cluster == nil || info.Cluster.Leader != "")
}

func (c *Conn) measure(ctx context.Context, stream string) {
	ctx, cancel := context.WithTimeout(ctx, measureWithin)
	defer cancel()
	var now State
	begun := time.Now()
	if c.nc.FlushWithContext(ctx) == nil {
		now.RoundTrip = time.Since(begun)
		begun = time.Now()
		reply, err := c.Request(ctx, &nats.Msg{Subject: c.API() + "STREAM.INFO." + stream})
		now.JetStream, now.Up = time.Since(begun), err == nil && answeredWell(reply.Data)
	} else {
		now.RoundTrip, now.JetStream = time.Since(begun), time.Since(begun)
	}
	c.state.mu.Lock()
	defer c.state.mu.Unlock()
	c.state.last = now
}
