package client

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"regexp"
	"time"

	"github.com/helve-dev/helve/protocol"
)

// Context identifies the person and agent of a request, and names the tool set that it is
// bound to. Each field is empty or has 1 to 64 letters, digits, underscores and hyphens.
type Context = protocol.Context

// orContext fills the empty fields of c from d.
func orContext(c, d Context) Context {
	pick := func(a, b string) string {
		if a != "" {
			return a
		}
		return b
	}
	return Context{
		User: pick(c.User, d.User), Agent: pick(c.Agent, d.Agent), Conversation: pick(c.Conversation, d.Conversation),
		Toolset: pick(c.Toolset, d.Toolset), Timezone: pick(c.Timezone, d.Timezone),
	}
}

// Client is a connection to one Helve server. Its methods are safe for concurrent use.
type Client struct {
	via   transport
	who   Context
	retry bool
	// retryFor bounds the outage that retries survive; 0 means no bound.
	retryFor time.Duration
}

// New returns a client of the server, which is an http://, https://, nats:// or
// tls:// URL (the last two may be several NATS servers, separated by commas),
// or empty with [WithNATSContext].
//
// Over HTTP New sends nothing. Over NATS it connects, and a server that does not answer
// is [ErrUnreachable]; with [WithRetry] the requests wait for it instead. Any other
// error is about the URL and the options.
func New(server string, opts ...Option) (*Client, error) {
	set := settings{prefix: "helve.v1"}
	for _, opt := range opts {
		opt(&set)
	}
	if set.tenant == "" && set.token == "" {
		set.tenant = "default"
	}
	scheme, err := schemeOf(server, set.natsContext)
	if err != nil {
		return nil, err
	}
	if err := set.check(scheme); err != nil {
		return nil, err
	}
	c := &Client{who: set.who, retry: set.retry, retryFor: set.retryFor}
	if scheme == "http" {
		c.via = newHTTP(server, set)
		return c, nil
	}
	if c.via, err = dialNATS(server, set); err != nil {
		return nil, err
	}
	return c, nil
}

// Close closes the connections. Requests in progress fail.
func (c *Client) Close() { c.via.close() }

// schemeOf returns the transport of a URL: "http" or "nats".
func schemeOf(server, natsContext string) (string, error) {
	if natsContext != "" {
		if server != "" {
			return "", fmt.Errorf("a NATS context names its own servers: leave the server URL empty")
		}
		return "nats", nil
	}
	u, err := url.Parse(server)
	if err != nil {
		// The error of package url contains the whole URL, password included.
		return "", fmt.Errorf("the server URL cannot be read; use http://HOST:PORT or nats://HOST:PORT")
	}
	if u.Host == "" {
		return "", fmt.Errorf("the server %q is not a URL; use http://HOST:PORT or nats://HOST:PORT", u.Redacted())
	}
	switch u.Scheme {
	case "http", "https":
		if u.RawQuery != "" || u.Fragment != "" {
			return "", fmt.Errorf("the server URL must end with its path, without query or fragment")
		}
		return "http", nil
	case "nats", "tls":
		return "nats", nil
	}
	return "", fmt.Errorf("the server URL begins with %q; use http, https, nats or tls", u.Scheme)
}

var (
	namePattern   = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	callIDPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}(~[0-9]{1,4}){0,6}$`)
	tracePattern  = regexp.MustCompile(`^[0-9a-f]{32}$`)
)

const (
	// answerTimeout bounds a request that does not wait for a call.
	answerTimeout = 30 * time.Second
	// answerMargin is the time a server may take beyond the requested wait.
	answerMargin = 10 * time.Second
)

// ask sends one operation, repeatedly with [WithRetry], and returns the body of the
// answer.
func (c *Client) ask(ctx context.Context, op operation) ([]byte, error) {
	var last error
	began := time.Now()
	for attempt := 0; ; attempt++ {
		got, err := c.once(ctx, op, cmp.Or(op.patience, answerTimeout))
		switch {
		case err == nil:
			return got.body, nil
		case ctx.Err() != nil:
			return nil, stopped(ctx, last)
		case !c.retry || !retryable(err) || c.tooLong(began):
			return nil, err
		}
		last = err
		if !pause(ctx, attempt, retryAfter(err)) {
			return nil, stopped(ctx, last)
		}
	}
}

// once sends one operation and waits at most limit for the answer.
func (c *Client) once(ctx context.Context, op operation, limit time.Duration) (answer, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, c.via.silence())
	defer cancel()
	return c.via.request(ctx, op)
}
