package natsio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
	"github.com/synadia-io/orbit.go/natscontext"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/subject"
	"github.com/helve-dev/helve/internal/x/gopool"
)

// Conn is the connection of one process to NATS.
type Conn struct {
	opts    Options
	log     *zap.Logger
	nc      *nats.Conn
	made    atomic.Pointer[nats.Conn] // nc, for goroutines that may run before Connect returns
	js      jetstream.JetStream
	tree    subject.Tree
	replies *ReplyMux
	others  []*ReplyMux // of NewReplies
	workers gopool.Pool
	id      string
	remakes remakes

	since atomic.Pointer[time.Time] // when the connection was made
	dials atomic.Int64              // how often a connection was begun
	// answered is when JetStream was last seen to answer, in Unix nanoseconds; 0 before.
	answered atomic.Int64
	state    state
	errors   throttle
	refused  atomic.Pointer[refused]
	starting atomic.Bool // see [Starting]
	// leaderless is the streams without a leader that were written to.
	leaderless leaderless
}

// ErrUnavailable means that NATS could not be reached or did not acknowledge.
var ErrUnavailable = errors.New("nats is not reachable")

// ErrCrashed is the answer to a request that panicked; the reason is in the log.
var ErrCrashed = errors.New("the request crashed; the operator's log has the details")

// Connect returns immediately, also when NATS cannot be reached: connecting is retried
// without end, with a log line for each change.
func Connect(opts Options) (*Conn, error) {
	opts = withDefaults(opts)
	c := &Conn{opts: opts, log: opts.Log, tree: subject.New(opts.Prefix), id: cmp.Or(opts.ID, nuid.Next())}
	c.workers.Panicked = func(p *gopool.Panic) {
		c.log.Error("goroutine crashed", zap.Any("panic", p.Value), zap.ByteString("stack", p.Stack))
	}
	settings, err := c.settings()
	if err != nil {
		return nil, fmt.Errorf("connect to nats: %w", err)
	}
	if opts.Context != "" {
		c.nc, _, err = natscontext.Connect(opts.Context, settings...)
	} else {
		c.nc, err = nats.Connect(opts.URL, settings...)
	}
	if err != nil {
		return nil, fmt.Errorf("connect to nats: %w", err)
	}
	c.made.Store(c.nc)
	js, err := jetstream.NewWithAPIPrefix(c.nc, strings.TrimSuffix(c.API(), "."))
	if err != nil {
		c.nc.Close()
		return nil, err
	}
	c.js = jetStream{js, c}
	if c.replies, err = newReplyMux(c.nc, c.nc.NewInbox()+"."); err != nil {
		c.nc.Close()
		return nil, fmt.Errorf("subscribe to acknowledgements: %w", err)
	}
	return c, nil
}

func (c *Conn) settings() ([]nats.Option, error) {
	o := c.opts
	settings := []nats.Option{
		nats.Name(o.Name),
		nats.Timeout(o.ConnectTimeout),
		c.coalesce,
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
			c.connected()
			o.State(true)
			c.log.Info("nats connected", zap.String("url", nc.ConnectedUrlRedacted()))
		}),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			o.State(false)
			if err != nil {
				c.log.Warn("nats connection lost; reconnecting", zap.Error(err))
			}
		}),
		nats.ReconnectHandler(func(nc *nats.Conn) {
			c.connected()
			o.State(true)
			o.Observer.Reconnected()
			c.log.Info("nats connected again", zap.String("url", nc.ConnectedUrlRedacted()))
		}),
		nats.ErrorHandler(func(_ *nats.Conn, sub *nats.Subscription, err error) {
			subject := ""
			if sub != nil {
				subject = sub.Subject
			}
			c.report("nats reported an error", subject, err)
		}),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) { c.report("nats connection not made; trying again", "", err) }),
	}
	if o.Creds != "" {
		settings = append(settings, c.userCredentials(o.Creds))
	}
	if o.Context != "" {
		login, err := c.contextLogin(o.Context)
		if err != nil {
			return nil, err
		}
		settings = append(settings, login...)
	}
	if o.CA != "" {
		settings = append(settings, nats.RootCAs(o.CA))
	}
	if o.Cert != "" {
		settings = append(settings, nats.ClientCert(o.Cert, o.Key))
	}
	return append(settings, c.keepTLS), nil
}

// ID returns the name of this process; it is the origin of the calls it accepts.
func (c *Conn) ID() string { return c.id }

// Tree returns the subjects below the prefix of this process.
func (c *Conn) Tree() subject.Tree { return c.tree }

// NATS returns the connection of the client library.
func (c *Conn) NATS() *nats.Conn { return c.nc }

// JetStream returns JetStream by way of the connection.
func (c *Conn) JetStream() jetstream.JetStream { return c.js }

// Replies returns the mux that receives acknowledgements and replies to requests.
func (c *Conn) Replies() *ReplyMux { return c.replies }

// NewReplies returns another mux. Its replies come below a word of the process's inbox, so
// that permissions can tell its answers from others. Call it before the connection is
// shared between goroutines.
func (c *Conn) NewReplies(word string) (*ReplyMux, error) {
	m, err := newReplyMux(c.nc, InboxBelow(c.nc, word))
	if err == nil {
		c.others = append(c.others, m)
	}
	return m, err
}

// Observer returns the observer of acknowledged writes.
func (c *Conn) Observer() Observer { return c.opts.Observer }

// Log returns the logger of the connection.
func (c *Conn) Log() *zap.Logger { return c.log }

// Anonymous is [Options.Anonymous] for this connection.
func (c *Conn) Anonymous() bool { return c.opts.Anonymous() }

// Go runs f on a goroutine of a pool whose goroutines are used again.
func (c *Conn) Go(f func()) { c.workers.Go(f) }

// Connected reports whether the connection is up.
func (c *Conn) Connected() bool { return c.nc.IsConnected() }

// stallAfter is the time without an answer after which JetStream counts as away.
const stallAfter = 2500 * time.Millisecond

// ConnectedSince returns since when NATS has answered: when the present connection was
// made, or the server answered again after a stall; zero while it does not answer.
func (c *Conn) ConnectedSince() time.Time {
	since := c.since.Load()
	last := c.answered.Load()
	stalled := last != 0 && time.Since(time.Unix(0, last)) > stallAfter
	if since == nil || !c.nc.IsConnected() || stalled {
		return time.Time{}
	}
	return *since
}

// Responded records that JetStream answered. An answer after a stall counts as a new
// connection.
func (c *Conn) Responded(now time.Time) {
	if last := c.answered.Swap(now.UnixNano()); last != 0 && now.Sub(time.Unix(0, last)) > stallAfter {
		c.connected()
	}
}

// connected records that a connection was made.
func (c *Conn) connected() {
	now := time.Now()
	c.since.Store(&now)
}

// Dials returns how often a connection was begun.
func (c *Conn) Dials() int64 { return c.dials.Load() }

// Switch connects to another server of the cluster, if the process knows one.
func Switch(c *Conn, why string) {
	if len(c.nc.Servers()) < 2 {
		return
	}
	c.log.Warn("nats server left for another", zap.String("url", c.nc.ConnectedUrlRedacted()), zap.String("reason", why))
	if err := c.nc.ForceReconnect(); err != nil {
		c.log.Warn("nats server not left", zap.Error(err))
	}
}

// MaxPayload returns the size of the largest message the server takes, in bytes.
func (c *Conn) MaxPayload() int64 { return c.nc.MaxPayload() }

// Flush waits until the server has processed all subscriptions and messages that this
// process sent. A process that reports itself ready before that may miss a request.
func (c *Conn) Flush(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, ReadTimeout)
	defer cancel()
	if err := c.nc.FlushWithContext(ctx); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}

// flushTimeout bounds the last write to NATS when the process ends.
const flushTimeout = 2 * time.Second

// Close sends what is buffered and closes the connection. Functions of [Conn.Go] that
// still run are not waited for.
func (c *Conn) Close() {
	if c.nc.IsConnected() {
		if err := c.nc.FlushTimeout(flushTimeout); err != nil {
			c.log.Warn("last messages not flushed; they may be lost", zap.Error(err))
		}
	}
	c.nc.Close()
	c.replies.close()
	for _, m := range c.others {
		m.close()
	}
	c.workers.Close()
}
