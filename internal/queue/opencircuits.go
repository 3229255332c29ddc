package queue

import (
	"context"
	"encoding/json"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/natsio"
)

// OpenCircuit is a server outside that a worker sends no requests of a tenant, because it
// keeps failing.
type OpenCircuit struct {
	Tenant string `json:"tenant"`
	Server string `json:"server"`
}

// circuitsAnswer is the answer of one worker.
type circuitsAnswer struct {
	By       string        `json:"by"`
	Circuits []OpenCircuit `json:"circuits"`
}

const (
	// circuitsProbe is the last token of the subject on which every worker is asked for its
	// open circuits, under the tenant "_", whose probes workers of persons do not receive.
	circuitsProbe = "circuits"
	// circuitsWindow is the time in which the workers have to answer.
	circuitsWindow = time.Second
)

// ServeOpenCircuits answers with the open circuits of this process, if it has any.
func (b *Owners) ServeOpenCircuits(list func() []OpenCircuit) error {
	_, err := b.conn.NATS().Subscribe(b.subj.Probe("_", circuitsProbe), func(msg *nats.Msg) {
		if !natsio.Asked(msg.Reply) || string(msg.Data) != circuitsProbe {
			return // JetStream was made to publish it, or it is about a call of that name
		}
		open := list()
		if len(open) == 0 {
			return
		}
		data, err := json.Marshal(circuitsAnswer{b.conn.ID(), open})
		if err == nil {
			_ = b.conn.NATS().Publish(msg.Reply, data) // the requester waits for a bounded time
		}
	})
	return err
}

// OpenCircuits returns the open circuits of the workers that have some, by the worker's
// ID. It returns when that many workers have answered, or after a short time.
func (b *Owners) OpenCircuits(ctx context.Context, workers int) map[string][]OpenCircuit {
	open := map[string][]OpenCircuit{}
	b.poll(ctx, "_", circuitsProbe, circuitsWindow, workers, func(data []byte) bool {
		var a circuitsAnswer
		if json.Unmarshal(data, &a) != nil || a.By == "" {
			return false
		}
		open[a.By] = a.Circuits
		return true
	})
	return open
}
