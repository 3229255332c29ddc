package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpServer is a server of the MCP SDK with one tool, which echoes, set up as in its
// documentation for the newest version of the protocol.
func (c *child) mcpServer(ctx context.Context) error {
	server := mcp.NewServer(&mcp.Implementation{Name: "bare", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "debug.echo", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var args struct {
				Value string `json:"value"`
			}
			if err := json.Unmarshal(req.Params.Arguments, &args); err != nil {
				return nil, err
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: args.Value}}}, nil
		})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true,
	})
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	srv := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	go func() { _ = srv.Serve(listener) }() // until it is closed
	defer srv.Close()
	fmt.Fprintf(c, "ready http=http://%s\n", listener.Addr())
	<-ctx.Done()
	return nil
}

// dialMCP opens a session for each caller, because an MCP client has its own.
func dialMCP(ctx context.Context, url string, callers int) (call func() error, hangUp func(), err error) {
	transport := &http.Transport{MaxIdleConns: callers, MaxIdleConnsPerHost: callers}
	web := &http.Client{Transport: transport, Timeout: callTimeout}
	sessions := make(chan *mcp.ClientSession, callers)
	hangUp = func() {
		for len(sessions) > 0 {
			_ = (<-sessions).Close() // the server keeps nothing of it
		}
		transport.CloseIdleConnections()
	}
	for range callers {
		client := mcp.NewClient(&mcp.Implementation{Name: "helve-bench", Version: "1"}, nil)
		session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: web}, nil)
		if err != nil {
			hangUp()
			return nil, nil, fmt.Errorf("connect to %s: %w", url, err)
		}
		sessions <- session
	}
	args := json.RawMessage(fmt.Appendf(nil, `{"value":%s}`, payload))
	return func() error {
		session := <-sessions
		defer func() { sessions <- session }()
		res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "debug.echo", Arguments: args}) // which the client writes to
		if err != nil {
			return err
		}
		return judgeMCP(res)
	}, hangUp, nil
}

func judgeMCP(res *mcp.CallToolResult) error {
	if len(res.Content) == 1 {
		if text, ok := res.Content[0].(*mcp.TextContent); ok && !res.IsError && strings.Contains(text.Text, string(payload[1:payloadSize-1])) {
			return nil
		}
	}
	return errors.New("the call did not succeed")
}

// mcpClients connects that many clients, each over a connection of its own, and each
// makes a call. They stay connected until hangUp, even if an error is returned.
func mcpClients(ctx context.Context, url string, total int) (hangUp func(), err error) {
	hangUps := make([]func(), total)
	err = inParallel(ctx, total, func(ctx context.Context, i int) error {
		call, leave, err := dialMCP(context.WithoutCancel(ctx), url, 1)
		if err != nil {
			return err
		}
		hangUps[i] = leave
		return call()
	})
	return func() {
		for _, leave := range hangUps {
			if leave != nil {
				leave()
			}
		}
	}, err
}
