package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
)

const (
	// workerLife is the time for which a worker counts as live after its last
	// announcement, so that a killed worker is gone after at most five seconds.
	workerLife = 5 * time.Second
	// workerAgain is the interval at which a worker repeats its announcement: one may
	// be lost.
	workerAgain = 2 * time.Second
	// workerBack is the time after a reconnection to NATS in which no worker is
	// declared gone: workers need it to reconnect and to repeat their announcements.
	workerBack = 5 * time.Second
)

// Worker is a worker that takes calls of a pool.
type Worker struct {
	ID string `json:"id"`
	// Workspace is the identity of its workspaces directory.
	Workspace string `json:"workspace"`
	// Since is the start time, by the worker's clock.
	Since time.Time `json:"since"`
	// Version is the version of its build.
	Version string `json:"version,omitempty"`
	// Slots is the number of calls it runs concurrently, Busy the number running at its
	// last announcement, Started the number it has started in the pool. Paused is set
	// while it takes no calls of the pool, because an operator paused one of the two.
	Slots   int    `json:"slots,omitempty"`
	Busy    int    `json:"busy,omitempty"`
	Started uint64 `json:"started,omitempty"`
	Paused  bool   `json:"paused,omitempty"`
	// Ended counts the calls of the pool that ended there since Since.
	Ended queue.EndedCalls `json:"ended,omitzero"`
	// OpenCircuits is the number of servers outside that keep failing for it. The entry
	// does not name them: workers of persons read it too (peer.Owners.OpenCircuits).
	OpenCircuits int `json:"open_circuits,omitempty"`
	// RulesRefused is set while it decides by old policy rules, because it refused the
	// changed ones.
	RulesRefused bool `json:"rules_refused,omitempty"`
	// Calls names the calls that it runs in the pool, as [CallMark] does.
	Calls []string `json:"calls,omitempty"`
	// Kind is the hash of the list of its tools in the pool; empty until the list is made.
	Kind string `json:"kind,omitempty"`
	// Home is the lane of the pool from which only this worker takes calls, for the
	// persons bound to it; empty if no person is bound to a worker.
	Home string `json:"home,omitempty"`
	// Left is set in the last announcement of a worker that stops in order.
	Left bool `json:"left,omitempty"`

	// Rate is the number of calls it started in each second between its last two
	// announcements, by the clock of this process.
	Rate float64 `json:"-"`
	// Tools is the list identified by Kind; nil while it is not known.
	Tools *Kind `json:"-"`
	// Homes is Home by pool, for [Announce].
	Homes map[string]string `json:"-"`
}

// same reports whether two announcements differ in the load only.
func (w *Worker) same(other *Worker) bool {
	return w.ID == other.ID && w.Workspace == other.Workspace && w.Since.Equal(other.Since) &&
		w.Version == other.Version && w.Slots == other.Slots && w.Kind == other.Kind && w.Home == other.Home &&
		w.Paused == other.Paused
}

// follow calls changed with all live workers, once before it returns and then whenever
// workers or their tools change, and gone with each worker that is lost, until ctx ends.
func follow(ctx context.Context, q *queue.Queue, changed func(Live), gone func(Lost), log *zap.Logger) (*roster, error) {
	bucket, err := q.Conn.Bucket(ctx, streams.BucketWorkers)
	if err != nil {
		return nil, err
	}
	r := newRoster(ctx, q.Conn.ConnectedSince, func(key string) (bool, error) {
		value, _, err := bucket.GetRevision(ctx, key)
		return value != nil, err
	}, changed, log)
	r.gone = gone
	if err := bucket.Follow(ctx, r.change); err != nil {
		return nil, err
	}
	r.open()
	return r, nil
}

// Load returns the live workers, without their tools.
func Load(ctx context.Context, q *queue.Queue) (Live, error) {
	bucket, err := q.Conn.Bucket(ctx, streams.BucketWorkers)
	if err != nil {
		return nil, err
	}
	live := Live{}
	err = bucket.Load(ctx, func(key string, value []byte) {
		if pool, w, err := announced(key, value); err == nil && !w.Left {
			live[pool] = append(live[pool], w)
		}
	})
	live.sort()
	return live, err
}

// announced parses an entry. Its key identifies the worker.
func announced(key string, value []byte) (pool string, w Worker, err error) {
	err = json.Unmarshal(value, &w)
	pool, w.ID, _ = strings.Cut(key, ".")
	if err == nil && w.Workspace == "" {
		err = errNoWorkspace
	}
	return pool, w, err
}

// errNoWorkspace means that an announcement names no workspaces directory, so there is
// nothing to compare.
var errNoWorkspace = errors.New("the announcement names no workspaces directory")
