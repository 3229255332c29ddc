package peer

import (
	"context"
	"encoding/json"
	"slices"
	"time"
)

// OpenCircuit is a server outside that a worker sends no requests of a tenant, because it
// keeps failing.
type OpenCircuit struct {
	Tenant string `json:"tenant"`
	Server string `json:"server"`
}

// OpenCircuits are the open circuits of a worker.
type OpenCircuits struct {
	Named []OpenCircuit `json:"named,omitempty"`
	// More is the number of those that are not named.
	More int `json:"more,omitempty"`
}

// circuitsAnswer is the answer of one worker.
type circuitsAnswer struct {
	By string `json:"by"`
	OpenCircuits
}

const (
	// circuitsProbe is the last token of the subject on which every worker is asked for its
	// open circuits, under the tenant "_", whose probes workers of persons do not receive.
	circuitsProbe = "circuits"
	// circuitsWindow is the time in which the workers have to answer.
	circuitsWindow = time.Second
)

// ServeOpenCircuits answers with the open circuits of this process.
func (b *Owners) ServeOpenCircuits(list func() OpenCircuits) error {
	return b.answer("_", circuitsProbe, func(string) any { return circuitsAnswer{b.conn.ID(), list()} })
}

// OpenCircuits returns the open circuits of workers, by their IDs. It returns when all of
// them have answered, or after a short time without those that have not.
func (b *Owners) OpenCircuits(ctx context.Context, workers []string) map[string]OpenCircuits {
	open := map[string]OpenCircuits{}
	b.poll(ctx, "_", circuitsProbe, circuitsWindow, len(workers), func(data []byte) bool {
		var a circuitsAnswer
		if json.Unmarshal(data, &a) != nil || !slices.Contains(workers, a.By) {
			return false
		}
		if _, twice := open[a.By]; twice {
			return false
		}
		open[a.By] = a.OpenCircuits
		return true
	})
	return open
}
