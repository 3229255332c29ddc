package client

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"regexp"
	"time"
)

// Context says on whose behalf a request is made. Each field is empty or has 1
// to 64 letters, digits, underscores and hyphens.
type Context struct {
	// User is the person; a call that needs consent asks this user.
	User string `json:"user,omitzero"`
	// Agent is the agent, whose record says which tools it may use.
	Agent string `json:"agent,omitzero"`
	// Conversation is what permissions remembered for a session belong to.
	Conversation string `json:"conversation,omitzero"`
}

// or fills the empty fields of c from d.
func (c Context) or(d Context) Context {
	pick := func(a, b string) string {
		if a != "" {
			return a
		}
		return b
	}
	return Context{pick(c.User, d.User), pick(c.Agent, d.Agent), pick(c.Conversation, d.Conversation)}
}

// Client is a connection to one Helve. Its methods may be used by any number
// of goroutines at once.
type Client struct {
	via   transport
	who   Context
	retry bool
}

// New returns a client of the server, which is an http://, https://, nats:// or
// tls:// URL (the last two may be several NATS servers, separated by commas),
// or empty with [WithNATSContext].
//
// Over HTTP nothing is sent yet. Over NATS the connection is made, and a server
// that does not answer is [ErrUnreachable]; with [WithRetry] it is waited for
// by the requests instead. Any other error is about the URL and the options.
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
	c := &Client{who: set.who, retry: set.retry}
	if scheme == "http" {
		c.via = newHTTP(server, set)
		return c, nil
	}
	if c.via, err = dialNATS(server, set); err != nil {
		return nil, err
	}
	return c, nil
}

// Close gives the connections back. Requests under way fail.
func (c *Client) Close() { c.via.close() }

// schemeOf returns "http" or "nats".
func schemeOf(server, natsContext string) (string, error) {
	if natsContext != "" {
		if server != "" {
			return "", fmt.Errorf("a NATS context names its own servers: leave the server URL empty")
		}
		return "nats", nil
	}
	u, err := url.Parse(server)
	if err != nil {
		// The error of package url holds the whole URL, password included.
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
	callIDPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)
	tracePattern  = regexp.MustCompile(`^[0-9a-f]{32}$`)
)

const (
	// answerTimeout bounds a request that waits for no call.
	answerTimeout = 30 * time.Second
	// answerMargin is what a server may take beyond the wait it was asked for.
	answerMargin = 10 * time.Second
)

// ask sends one operation, again and again with [WithRetry], and returns the
// answer's body.
func (c *Client) ask(ctx context.Context, op operation) ([]byte, error) {
	var last error
	for attempt := 0; ; attempt++ {
		got, err := c.once(ctx, op, cmp.Or(op.patience, answerTimeout))
		switch {
		case err == nil:
			return got.body, nil
		case ctx.Err() != nil:
			return nil, stopped(ctx, last)
		case !c.retry || !retryable(err):
			return nil, err
		}
		last = err
		if !pause(ctx, attempt, retryAfter(err)) {
			return nil, stopped(ctx, last)
		}
	}
}

// once sends one operation and gives the server the time limit to answer.
func (c *Client) once(ctx context.Context, op operation, limit time.Duration) (answer, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, c.via.silence())
	defer cancel()
	return c.via.request(ctx, op)
}
