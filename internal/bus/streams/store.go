package streams

import (
	"cmp"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/subject"
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
	DuplicateWindow                         time.Duration
	// AuditMaxAge and AuditMaxBytes bound the audit trail; 0 means no bound.
	AuditMaxAge   time.Duration
	AuditMaxBytes int64
	// ConsentTTL is the longest time a call waits for a person, ConsentsPerUser the number
	// of requests of one user that may wait concurrently.
	ConsentTTL time.Duration
	// StepTTL is the longest time that a step of a program waits for a person.
	StepTTL         time.Duration
	ConsentsPerUser int64
	// Kept, if set, is called when a stream becomes usable or unusable, and when this process
	// made it again or changed its settings back.
	Kept func(stream string, usable, mended bool)
}

// Store is the streams, buckets and object stores of Helve, as one process sees them.
type Store struct {
	Conn *natsio.Conn

	opts     Options
	demands  []demand
	messages map[string]bounded
	log      *zap.Logger
	tree     subject.Tree
	room     *room
	keeper   *keeper
	prepared atomic.Bool
	// unprepared is why the streams are not set up yet.
	unprepared atomic.Pointer[error]

	callData, resultData *natsio.Objects
}

// Connect returns immediately, even if NATS cannot be reached: connecting is retried
// without end, with a log line for each change. [Store.Prepare] waits for it.
func Connect(opts Options) (*Store, error) {
	opts = withDefaults(opts)
	s := &Store{
		opts: opts, demands: opts.demands(), messages: opts.messages(), log: opts.Log, tree: subject.New(opts.Prefix),
	}
	s.room, s.keeper = newRoom(s), newKeeper(s)
	opts.Observer = s.room
	var err error
	if s.Conn, err = natsio.Connect(opts.Options); err != nil {
		return nil, err
	}
	return s, nil
}

func withDefaults(o Options) Options {
	o.CallsMaxAge = cmp.Or(o.CallsMaxAge, 24*time.Hour)
	o.ResultsMaxAge = cmp.Or(o.ResultsMaxAge, time.Hour)
	o.DuplicateWindow = cmp.Or(o.DuplicateWindow, 2*time.Minute)
	o.ConsentTTL = cmp.Or(o.ConsentTTL, 10*time.Minute)
	o.ConsentsPerUser = cmp.Or(o.ConsentsPerUser, 100)
	o.Prefix = cmp.Or(o.Prefix, "helve.v1")
	o.Replicas = cmp.Or(o.Replicas, 1)
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	return o
}

// Close sends what is buffered and closes the connection.
func (b *Store) Close() {
	b.Conn.Close()
	b.room.close()
}

// Options returns the options with their defaults.
func (b *Store) Options() Options { return b.opts }

// CallData is where arguments of calls are that are too large for a message.
func (b *Store) CallData() *natsio.Objects { return b.callData }

// ResultData is where results are that are too large for a message.
func (b *Store) ResultData() *natsio.Objects { return b.resultData }

// Note records the problem of something that belongs to a stream, as of a consumer by
// <stream>/<consumer>, empty if there is none, and whether this process mended it.
func (b *Store) Note(name, problem string, mended bool) { b.keeper.set(name, problem, mended) }
