package natsio

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/zap"
)

// Options are the settings of a connection.
type Options struct {
	// URL is nats://HOST:PORT, or a comma-separated list.
	URL string
	// State, if set, is called when the connection is made and when it is lost.
	State func(connected bool)
	// Failed, if set, is called with the cause of each error that the connection reports.
	Failed func(cause string)
	// Creds is a credentials file; Context the name of a NATS CLI context,
	// which replaces URL.
	Creds, Context string
	CA, Cert, Key  string
	ConnectTimeout time.Duration
	// Name is shown by NATS; ID names this process, made if empty.
	Name, ID string
	// Prefix begins every subject, helve.v1 if empty.
	Prefix string
	// Replicas is the number of copies of each stream, 1 if it is 0.
	Replicas int
	// Observer, if set, observes acknowledged writes.
	Observer Observer
	Log      *zap.Logger
}

// Observer is called for the outcome of acknowledged writes, on the goroutine that reads
// acknowledgements, and must be quick.
type Observer interface {
	// Acknowledged is called for a write that was stored.
	Acknowledged(msg *nats.Msg)
	// Missed is called for a write without an acknowledgement.
	Missed(msg *nats.Msg)
	// Refused is called for a write that found no room; reason is an [ErrFull].
	Refused(msg *nats.Msg, reason error)
	// Reconnected is called when a lost connection was made again.
	Reconnected()
}

// nobody is the Observer of a process without one.
type nobody struct{}

func (nobody) Acknowledged(*nats.Msg)   {}
func (nobody) Missed(*nats.Msg)         {}
func (nobody) Refused(*nats.Msg, error) {}
func (nobody) Reconnected()             {}

func withDefaults(o Options) Options {
	if o.ConnectTimeout == 0 {
		o.ConnectTimeout = 2 * time.Second
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
	if o.Failed == nil {
		o.Failed = func(string) {}
	}
	if o.Observer == nil {
		o.Observer = nobody{}
	}
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	return o
}

// where names the servers for logs and errors, without their passwords.
func (o Options) where() string {
	if o.Context != "" {
		return "nats context " + o.Context
	}
	servers := strings.Split(o.URL, ",")
	for i, server := range servers {
		u, err := url.Parse(strings.TrimSpace(server))
		switch {
		case err != nil:
			servers[i] = "(unreadable URL)"
		case u.User != nil:
			u.User = url.User("xxxxx") // a token stands where a name would
			servers[i] = u.String()
		}
	}
	return strings.Join(servers, ",")
}

// Anonymous reports whether the process connects to NATS without any credential. Then
// everybody may publish everything, and what is in a bucket is as good as an answer.
func (o Options) Anonymous() bool {
	return o.Creds == "" && o.Context == "" && o.Cert == "" && !strings.Contains(o.URL, "@")
}

// Away returns the error of a connection that is not there, with the reason if it is known.
func (c *Conn) Away() error {
	if err := c.nc.LastError(); err != nil {
		return fmt.Errorf("not connected to %s: %w", c.opts.where(), err)
	}
	return fmt.Errorf("not connected to %s", c.opts.where())
}
