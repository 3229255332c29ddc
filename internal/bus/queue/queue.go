package queue

import (
	"cmp"
	"fmt"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/peer"
)

// Options holds the connection of a process to NATS and the durability of its streams.
type Options struct {
	natsio.Options
	// StoreDir is where the server keeps its messages, if that is on this machine: the room
	// on its device is watched. Accepts is set if this process accepts calls, so that the
	// room in their queue is watched too.
	StoreDir string
	Accepts  bool
	// Waits is set if this process leaves it to others to make streams: the credentials of a
	// worker do not permit that.
	Waits bool
	// Profile names the failures that an acknowledgement must survive. MonitorURL is read
	// to verify that, unless SyncAlways is set because it is known.
	Profile, MonitorURL string
	SyncAlways          bool
	CallsMaxAge         time.Duration
	CallsMaxBytes       int64
	ResultsMaxAge       time.Duration
	ResultsMaxBytes     int64
	// ResultsMaxMessages, OnceMaxBytes and OnceMaxMessages bound the stored messages, as
	// ResultsMaxBytes does; 0 means bounds that fit the machine of the NATS server.
	ResultsMaxMessages, OnceMaxBytes, OnceMaxMessages int64
	// CallbacksMaxBytes and CallbacksMaxMessages bound the stored callbacks in the same way.
	CallbacksMaxBytes, CallbacksMaxMessages int64
	EventsReplay                            time.Duration
	AckWait                                 time.Duration
	DuplicateWindow                         time.Duration
	// AuditMaxAge and AuditMaxBytes bound the audit trail; 0 means no bound.
	AuditMaxAge   time.Duration
	AuditMaxBytes int64
	// ConsentTTL is the longest time a call waits for a person, ConsentsPerUser the number
	// of requests of one user that may wait concurrently.
	ConsentTTL      time.Duration
	ConsentsPerUser int64
	// Kept, if set, is called when a stream becomes usable or unusable, and when this process
	// made it again or changed its settings back.
	Kept func(stream string, usable, mended bool)
	// Weights are the shares of tenants in the slots of a worker, if they are not 1.
	Weights map[string]int
}

// Queue is the queue as one process sees it: its parts share a connection.
type Queue struct {
	Conn *natsio.Conn
	// Calls accepts, queues and delivers calls.
	Calls *Calls
	// Results stores and receives results.
	Results *Results
	// Owners finds the process that has a call.
	Owners *Owners
	// Events publishes and replays the steps of calls.
	Events *Events
	// Scheduled sets timers and passes on what is due.
	Scheduled *Scheduled
	// Callbacks stores results that are sent to callbacks.
	Callbacks *Callbacks
	// Peers are the requests between processes, over the same connection.
	*peer.Peers

	*core
}

// Calls stores and delivers the calls of the queue: once-only records, lanes and
// deliveries.
type Calls struct{ *core }

// Results stores and receives the results of calls.
type Results struct{ *core }

// Owners finds the processes that have calls: workers that run them and dispatchers that
// wait for them.
type Owners struct{ *core }

// Events publishes and replays the steps of calls.
type Events struct{ *core }

// core holds the state shared by the parts of a Queue. It has no exported methods: the
// parts have.
type core struct {
	conn     *natsio.Conn
	opts     Options
	demands  []demand
	messages map[string]bounded
	log      *zap.Logger
	subj     Subjects
	holders  *natsio.ReplyMux // answers of other workers and dispatchers
	room     *room
	keeper   *keeper
	told     *eventBuffer
	replays  atomic.Bool // this process answers late listeners
	prepared atomic.Bool
	// unprepared is why the streams are not set up yet.
	unprepared atomic.Pointer[error]

	callData, resultData *natsio.Objects
}

// Connect returns immediately, even if NATS cannot be reached: connecting is retried
// without end, with a log line for each change. [Queue.Prepare] waits for it.
func Connect(opts Options) (*Queue, error) {
	opts = withDefaults(opts)
	c := &core{
		opts:     opts,
		demands:  opts.demands(),
		messages: opts.messages(),
		log:      opts.Log,
		subj:     NewSubjects(opts.Prefix),
		told:     newEventBuffer(opts.EventsReplay),
	}
	c.room, c.keeper = newRoom(c), newKeeper(c)
	opts.Observer = c.room
	var err error
	if c.conn, err = natsio.Connect(opts.Options); err != nil {
		return nil, err
	}
	if c.holders, err = c.conn.NewReplies(Holders); err != nil {
		c.conn.Close()
		return nil, fmt.Errorf("subscribe to answers of other processes: %w", err)
	}
	return &Queue{
		Conn: c.conn, Calls: &Calls{c}, Results: &Results{c}, Owners: &Owners{c}, Events: &Events{c},
		Scheduled: &Scheduled{c}, Callbacks: &Callbacks{c}, Peers: peer.New(c.conn, c.holders, c.subj.Subjects, c.log), core: c,
	}, nil
}

func withDefaults(o Options) Options {
	def := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	def(&o.CallsMaxAge, 24*time.Hour)
	def(&o.ResultsMaxAge, time.Hour)
	def(&o.EventsReplay, 10*time.Minute)
	def(&o.AckWait, 2*time.Second)
	def(&o.DuplicateWindow, 2*time.Minute)
	def(&o.ConsentTTL, 10*time.Minute)
	if o.ConsentsPerUser == 0 {
		o.ConsentsPerUser = 100
	}
	o.Prefix = cmp.Or(o.Prefix, "helve.v1")
	o.Replicas = cmp.Or(o.Replicas, 1)
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	return o
}

// Subjects returns the subjects of this queue.
func (q *Queue) Subjects() Subjects { return q.subj }

// Close sends what is buffered and closes the connection.
func (q *Queue) Close() {
	q.Conn.Close()
	q.room.close()
}
