package bus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
	"github.com/synadia-io/orbit.go/natscontext"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/crew"
)

// Options says how to reach NATS and how durable to be.
type Options struct {
	// URL is nats://HOST:PORT, or a comma-separated list.
	URL string
	// State, if set, is told when the connection comes and goes.
	State func(connected bool)
	// Profile is what an acknowledgement must survive; MonitorURL is where that
	// is verified, unless SyncAlways says it is known.
	Profile, MonitorURL string
	SyncAlways          bool
	// Creds is a credentials file; Context the name of a NATS CLI context,
	// which replaces URL.
	Creds, Context string
	CA, Cert, Key  string
	ConnectTimeout time.Duration
	// Name is shown by NATS; ID names this process on the bus, made if empty.
	Name, ID        string
	Prefix          string
	Replicas        int
	CallsMaxAge     time.Duration
	CallsMaxBytes   int64
	ResultsMaxAge   time.Duration
	ResultsMaxBytes int64
	EventsReplay    time.Duration
	AckWait         time.Duration
	DuplicateWindow time.Duration
	// AuditMaxAge and AuditMaxBytes bound the audit trail; 0 means not at all.
	AuditMaxAge   time.Duration
	AuditMaxBytes int64
	// ConsentTTL is the longest a call waits for a person, ConsentsPerUser how
	// many requests of one user wait at a time.
	ConsentTTL      time.Duration
	ConsentsPerUser int64
	Log             *zap.Logger
}

// Bus is one process's connection to NATS.
type Bus struct {
	opts     Options
	log      *zap.Logger
	nc       *nats.Conn
	js       jetstream.JetStream
	subj     Subjects
	acks     *mux
	told     *journal
	replays  atomic.Bool // this process answers late listeners
	progress *progress   // of a worker
	prepared atomic.Bool
	crew     crew.Crew
	id       string

	callData, resultData jetstream.ObjectStore
}

// ErrUnavailable means that NATS could not be reached or did not acknowledge.
var ErrUnavailable = errors.New("nats is not reachable")

// Connect returns at once, also when NATS is not there yet: it is retried for
// ever, with a log line at each change. [Bus.Prepare] waits for it.
func Connect(opts Options) (*Bus, error) {
	opts = withDefaults(opts)
	b := &Bus{opts: opts, log: opts.Log, subj: NewSubjects(opts.Prefix), id: cmp.Or(opts.ID, nuid.Next())}
	settings := b.connOptions()
	var err error
	if opts.Context != "" {
		b.nc, _, err = natscontext.Connect(opts.Context, settings...)
	} else {
		b.nc, err = nats.Connect(opts.URL, settings...)
	}
	if err != nil {
		return nil, fmt.Errorf("connect to nats: %w", err)
	}
	if b.js, err = jetstream.New(b.nc); err != nil {
		b.nc.Close()
		return nil, err
	}
	b.told = newJournal(opts.EventsReplay)
	if b.acks, err = newMux(b.nc); err != nil {
		b.nc.Close()
		return nil, fmt.Errorf("subscribe to acknowledgements: %w", err)
	}
	return b, nil
}

func withDefaults(o Options) Options {
	def := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	def(&o.ConnectTimeout, 2*time.Second)
	def(&o.CallsMaxAge, 24*time.Hour)
	def(&o.ResultsMaxAge, time.Hour)
	def(&o.EventsReplay, 10*time.Minute)
	def(&o.AckWait, 2*time.Second)
	def(&o.DuplicateWindow, 2*time.Minute)
	def(&o.ConsentTTL, 10*time.Minute)
	if o.ConsentsPerUser == 0 {
		o.ConsentsPerUser = 100
	}
	if o.Prefix == "" {
		o.Prefix = "helve.v1"
	}
	if o.Replicas == 0 {
		o.Replicas = 1
	}
	if o.State == nil {
		o.State = func(bool) {}
	}
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	return o
}

func (b *Bus) connOptions() []nats.Option {
	o := b.opts
	settings := []nats.Option{
		nats.Name(o.Name),
		nats.Timeout(o.ConnectTimeout),
		gather,
		nats.RetryOnFailedConnect(true),
		nats.MaxReconnects(-1),
		// A refused login may be accepted later: an operator adds the account,
		// or renews the credentials file.
		nats.IgnoreAuthErrorAbort(),
		nats.ReconnectWait(250 * time.Millisecond),
		nats.ReconnectJitter(250*time.Millisecond, time.Second),
		nats.PingInterval(10 * time.Second),
		nats.MaxPingsOutstanding(2),
		nats.ConnectHandler(func(nc *nats.Conn) {
			o.State(true)
			b.log.Info("nats connected", zap.String("url", nc.ConnectedUrlRedacted()))
		}),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			o.State(false)
			if err != nil {
				b.log.Warn("nats connection lost; reconnecting", zap.Error(err))
			}
		}),
		nats.ReconnectHandler(func(nc *nats.Conn) {
			o.State(true)
			b.log.Info("nats connected again", zap.String("url", nc.ConnectedUrlRedacted()))
		}),
		nats.ErrorHandler(func(_ *nats.Conn, sub *nats.Subscription, err error) {
			subject := ""
			if sub != nil {
				subject = sub.Subject
			}
			b.log.Warn("nats", zap.String("subject", subject), zap.Error(err))
		}),
	}
	if o.Creds != "" {
		settings = append(settings, nats.UserCredentials(o.Creds))
	}
	if o.CA != "" {
		settings = append(settings, nats.RootCAs(o.CA))
	}
	if o.Cert != "" {
		settings = append(settings, nats.ClientCert(o.Cert, o.Key))
	}
	return settings
}

// ID names this process on the bus; it is the origin of the calls it accepts.
func (b *Bus) ID() string { return b.id }

// Subjects returns the subjects of this bus.
func (b *Bus) Subjects() Subjects { return b.subj }

// Connected reports whether NATS answers now.
func (b *Bus) Connected() bool { return b.nc.IsConnected() }

// away says that NATS is not reached, and why where that is known.
func (b *Bus) away() error {
	if err := b.nc.LastError(); err != nil {
		return fmt.Errorf("not connected to %s: %w", b.opts.where(), err)
	}
	return fmt.Errorf("not connected to %s", b.opts.where())
}

// MaxPayload is the largest message the server takes, in bytes.
func (b *Bus) MaxPayload() int64 { return b.nc.MaxPayload() }

// Flush waits until the server knows all that this process subscribed to and
// published. Who calls itself ready before that can be asked and not hear.
func (b *Bus) Flush(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	if err := b.nc.FlushWithContext(ctx); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}

// flushTimeout bounds the last write to NATS when the process ends.
const flushTimeout = 2 * time.Second

// Close sends what is buffered and closes the connection.
func (b *Bus) Close() {
	if b.nc.IsConnected() {
		if err := b.nc.FlushTimeout(flushTimeout); err != nil {
			b.log.Warn("nats: the last messages may not have been sent", zap.Error(err))
		}
	}
	b.nc.Close()
	b.acks.close()
	b.crew.Close()
}
