package upstream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/ports/netguard"
	"github.com/helve-dev/helve/internal/toolbox/upstream/wire"
	"github.com/helve-dev/helve/internal/x/gopool"
)

// session is one connection to a server, until it is lost.
type session struct {
	mcp  *mcp.ClientSession
	lost chan struct{} // closed when it is lost
	why  error         // set before that
	// close ends it, and returns the exit error of the server, if known.
	close func() error

	// stale is closed when the server no longer knows the session.
	stale     chan struct{}
	renewOnce sync.Once
	calls     inFlight

	tokens   atomic.Int64
	mu       sync.Mutex
	progress map[string]func(*mcp.ProgressNotificationParams)
}

// older is the protocol version for servers that fail with the newest.
const older = "2025-11-25"

// dial connects to the server and initializes the session. Changed is called when the
// server reports that its tools changed.
func (c *client) dial(ctx context.Context, old bool, changed func()) (*session, error) {
	s := &session{lost: make(chan struct{}), stale: make(chan struct{}), progress: map[string]func(*mcp.ProgressNotificationParams){}}
	transport, hangUp, err := c.transport(ctx)
	if err != nil {
		return nil, err
	}
	sdk := mcp.NewClient(&mcp.Implementation{Name: "helve", Version: c.pool.o.Version}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{}, Logger: slog.New(slog.DiscardHandler),
		MultiRoundTrip:              &mcp.MultiRoundTripOptions{Disabled: true},
		ToolListChangedHandler:      func(context.Context, *mcp.ToolListChangedRequest) { changed() },
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { s.heard(r.Params) },
	})
	sdk.AddReceivingMiddleware(refuseRequests)
	var options mcp.ClientSessionOptions
	if old {
		options.ProtocolVersion = older
	}
	bounded, cancel := context.WithTimeout(ctx, c.startTime())
	defer cancel()
	if s.mcp, err = sdk.Connect(bounded, transport, &options); err != nil {
		if how := hangUp(false); how != nil {
			err = how
		}
		if bounded.Err() != nil && ctx.Err() == nil {
			err = errors.New("it did not answer in time when it was asked to begin")
		}
		return nil, err
	}
	gopool.Go(func() {
		defer close(s.lost)
		s.why = s.mcp.Wait()
	}, nil)
	s.close = func() (how error) {
		if c.s.URL == "" {
			how = hangUp(true)
			_ = s.mcp.Close()
		} else {
			c.leave(s, hangUp)
		}
		<-s.lost
		return how
	}
	return s, nil
}

// over reports whether the connection was lost.
func (s *session) over() bool {
	select {
	case <-s.lost:
		return true
	default:
		return false
	}
}

// leave ends the session of a server over HTTP.
func (c *client) leave(s *session, hangUp func(bool) error) {
	told := make(chan struct{})
	gopool.Go(func() {
		defer close(told)
		_ = s.mcp.Close()
	}, nil)
	wait(told, c.pool.o.Patience)
	_ = hangUp(true)
	<-told
}

// transport returns the transport to the server, and functions that end it gracefully
// and immediately.
func (c *client) transport(ctx context.Context) (mcp.Transport, func(polite bool) error, error) {
	odd := func(why string) {
		c.odd.Do(func() { c.log.Warn("mcp server message refused", zap.String("what", why)) })
	}
	if c.s.URL == "" {
		child, err := c.s.start(ctx, c.log)
		if err != nil {
			return nil, nil, err
		}
		end := func(polite bool) error {
			if polite {
				return child.end(c.pool.o.Patience)
			}
			return child.end(settle)
		}
		return &wire.Pipe{In: child.in, Out: child.out, Longest: c.s.maxMessage(), Odd: odd}, end, nil
	}
	guard, err := netguard.New(netguard.Options{Allow: c.allowed(), HeaderTimeout: maxAnswerTime})
	if err != nil {
		return nil, nil, err
	}
	life, cancel := context.WithCancel(context.Background())
	header := http.Header{}
	for name, value := range c.s.Headers {
		header.Set(name, value)
	}
	through := &wire.HTTP{Do: guard.Do, Header: header, Longest: c.s.maxMessage(), Life: life, Odd: odd}
	return &mcp.StreamableClientTransport{
			Endpoint: c.s.URL, MaxEventSize: c.s.maxMessage() + 1<<10, MaxRetries: 2,
			HTTPClient: &http.Client{
				Transport: through, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			},
		}, func(bool) error {
			cancel()
			guard.Close()
			return nil
		}, nil
}

// settle is the time that a server that failed to start has to exit.
const settle = 100 * time.Millisecond

// maxAnswerTime is the time in which a server must begin an answer over HTTP: calls
// have deadlines of their own.
const maxAnswerTime = time.Hour

// allowed returns the hosts that the guard allows for this server.
func (c *client) allowed() []string {
	allow := c.pool.o.AllowHosts
	u, err := url.Parse(c.s.URL)
	if !c.s.Private || err != nil {
		return allow
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return append(append([]string{}, allow...), net.JoinHostPort(u.Hostname(), port))
}

// refuseRequests refuses all requests of a server except ping.
func refuseRequests(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch method {
		case "sampling/createMessage", "elicitation/create", "roots/list":
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: method + " is not offered by this client"}
		}
		return next(ctx, method, req)
	}
}

// follow calls tell with the progress of one call, under the returned token, until stop
// is called.
func (s *session) follow(tell func(*mcp.ProgressNotificationParams)) (token string, stop func()) {
	token = "p" + strconv.FormatInt(s.tokens.Add(1), 10)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.progress[token] = tell
	return token, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.progress, token)
	}
}

func (s *session) heard(p *mcp.ProgressNotificationParams) {
	if p == nil {
		return
	}
	token, _ := p.ProgressToken.(string)
	s.mu.Lock()
	tell := s.progress[token]
	s.mu.Unlock()
	if tell != nil {
		tell(p)
	}
}

// Bounds of a server's list of tools.
const (
	maxPages    = 100
	maxListed   = 2000
	maxListSize = 16 << 20
)

// list returns the server's list of tools.
func (s *session) list(ctx context.Context, most time.Duration) (tools []*mcp.Tool, err error) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	var params mcp.ListToolsParams
	size := 0
	for range maxPages {
		page, err := s.mcp.ListTools(ctx, &params)
		if err != nil {
			return nil, fmt.Errorf("it did not list its tools: %w", err)
		}
		for _, t := range page.Tools {
			text, _, err := show("", t)
			if err == nil {
				size += len(text)
			}
			tools = append(tools, t)
		}
		if len(tools) > maxListed || size > maxListSize {
			return nil, fmt.Errorf("it lists %d tools in %d bytes, at most %d in %d are taken", len(tools), size, maxListed, maxListSize)
		}
		if page.NextCursor == "" {
			return tools, nil
		}
		params = mcp.ListToolsParams{Cursor: page.NextCursor}
	}
	return nil, fmt.Errorf("its list of tools has more than %d pages", maxPages)
}
