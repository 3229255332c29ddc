package queue

import (
	"cmp"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/events"
	"github.com/helve-dev/helve/internal/bus/inspect"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/bus/timers"
)

// Options holds the streams of a process and how it uses them.
type Options struct {
	streams.Options
	// EventsReplay is the time for which events are kept for late listeners, AckWait the time
	// after which the server delivers a call again whose worker sends no heartbeats.
	EventsReplay, AckWait time.Duration
	// Weights are the shares of tenants in the slots of a worker, if they are not 1.
	Weights map[string]int
}

// Queue is the queue as one process sees it: its parts share a connection.
type Queue struct {
	// Store is the streams that all parts write to and read, and the connection to NATS.
	*streams.Store
	// Calls accepts, queues and delivers calls.
	Calls *Calls
	// Results stores and receives results.
	Results *Results
	// Events publishes and replays the steps of calls.
	Events *events.Events
	// Inspector reads the queue from outside.
	Inspector *inspect.Inspector
	// Timers sets the timers of scheduled tasks and passes on what is due.
	Timers *timers.Timers
	// Peers are the requests between processes, over the same connection.
	*peer.Peers

	*core
}

// Calls stores and delivers the calls of the queue: once-only records, lanes and
// deliveries.
type Calls struct{ *core }

// Results stores and receives the results of calls.
type Results struct{ *core }

// core holds the state shared by the parts of a Queue. It has no exported methods: the
// parts have.
type core struct {
	conn  *natsio.Conn
	store *streams.Store
	opts  Options
	log   *zap.Logger
	subj  Subjects
}

// Connect returns immediately, even if NATS cannot be reached: connecting is retried
// without end, with a log line for each change. [streams.Store.Prepare] waits for it.
func Connect(opts Options) (*Queue, error) {
	store, err := streams.Connect(opts.Options)
	if err != nil {
		return nil, err
	}
	opts = withDefaults(opts)
	opts.Options = store.Options()
	c := &core{conn: store.Conn, store: store, opts: opts, log: opts.Log, subj: NewSubjects(opts.Prefix)}
	replies, err := c.conn.NewReplies(peer.Holders) // of other workers and dispatchers
	if err != nil {
		store.Close()
		return nil, fmt.Errorf("subscribe to answers of other processes: %w", err)
	}
	return &Queue{
		Store: store, Calls: &Calls{c}, Results: &Results{c},
		Events: events.New(c.conn, replies, events.Subjects{Tree: c.subj.Tree}, opts.EventsReplay),
		Timers: timers.New(c.conn, replies), Inspector: inspect.New(c.conn, CutLane),
		Peers: peer.New(c.conn, replies, c.subj.Subjects, c.log), core: c,
	}, nil
}

func withDefaults(o Options) Options {
	o.EventsReplay = cmp.Or(o.EventsReplay, 10*time.Minute)
	o.AckWait = cmp.Or(o.AckWait, 2*time.Second)
	return o
}

// Subjects returns the subjects of this queue.
func (q *Queue) Subjects() Subjects { return q.subj }
