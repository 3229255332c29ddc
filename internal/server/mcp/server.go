package mcp

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"time"

	"github.com/google/uuid"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Versions returns the supported versions of the protocol, newest first.
func Versions() []string { return []string{"2026-07-28", "2025-11-25", "2025-06-18"} }

// Options configure a server. The zero value is valid except for State.
type Options struct {
	// Version is Helve's own version, as reported to clients.
	Version string
	// Listed is the tool set that clients are offered if they name none; empty is all
	// tools. It does not bind their calls.
	Listed string
	// ConsoleURL is the URL of the page where a person decides, to which the consent_id
	// is appended; if it is empty, clients show the question themselves.
	ConsoleURL string
	// State signs the state that a client must return.
	State State
	// Wait is the longest wait for a call: 5 minutes. TaskAfter is the time after which
	// it becomes a task for a client that supports tasks: 2 s.
	Wait, TaskAfter time.Duration
	// BodyTime is the time a client has to send a request: 30 s.
	BodyTime time.Duration
	// Patience is the time after which a client that reads nothing of an answer is
	// disconnected: 10 s.
	Patience time.Duration
	// NewID makes call_ids: UUIDs of version 7, which contain their creation time.
	NewID func() string
	// TaskTTL is the time for which a client may go on to poll a task: 1 h.
	TaskTTL time.Duration
}

// Server serves MCP clients. It keeps no state of them.
type Server struct {
	Options

	platform Platform
	sdk      *sdk.Server
	info     *sdk.Implementation
}

// New returns a server over platform.
func New(platform Platform, o Options) *Server {
	if o.Wait == 0 {
		o.Wait = 5 * time.Minute
	}
	if o.TaskAfter == 0 {
		o.TaskAfter = 2 * time.Second
	}
	if o.TaskTTL == 0 {
		o.TaskTTL = time.Hour
	}
	if o.BodyTime == 0 {
		o.BodyTime = 30 * time.Second
	}
	if o.Patience == 0 {
		o.Patience = 10 * time.Second
	}
	if o.NewID == nil {
		o.NewID = func() string { return uuid.Must(uuid.NewV7()).String() }
	}
	s := &Server{Options: o, platform: platform}
	capabilities := &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Resources: &sdk.ResourceCapabilities{}}
	capabilities.AddExtension(tasksExtension, nil)
	s.info = &sdk.Implementation{Name: "helve", Title: "Helve", Version: o.Version}
	s.sdk = sdk.NewServer(s.info, &sdk.ServerOptions{
		SupportedProtocolVersions: Versions(),
		Capabilities:              capabilities,
		Logger:                    slog.New(slog.DiscardHandler), // clients' errors are reported to the client
	})
	// The SDK's server has one tool, which represents all: only through it does an
	// answer get the form of its protocol version.
	s.sdk.AddTool(&sdk.Tool{Name: everyTool, InputSchema: json.RawMessage(`{"type":"object"}`)}, s.call)
	s.sdk.AddReceivingMiddleware(onlyServed, s.serve)
	s.serveTasks()
	return s
}

// everyTool represents the tool that is called. No tool can have the name.
const everyTool = "*"

// Stream serves one client, on behalf of by, that writes one message per line to in and
// reads them from out, until ctx ends or the client closes its side and has its
// answers.
func (s *Server) Stream(ctx context.Context, by Caller, in io.ReadCloser, out io.WriteCloser) error {
	by.Session = true
	ids := newKeeper()
	both := newEOFGate(&hiding{ReadCloser: in, keeper: ids}, showing{out, ids})
	return s.sdk.Run(withCaller(ctx, by), &sdk.IOTransport{Reader: both, Writer: both})
}

// serve answers the methods for tools and files, and leaves the rest to the SDK.
func (s *Server) serve(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		switch req := req.(type) {
		case *sdk.ListToolsRequest:
			res, err := s.list(ctx, req)
			return res, protocolError(err)
		case *sdk.ListResourcesRequest:
			res, err := s.listFiles(ctx, req)
			return res, protocolError(err)
		case *sdk.ReadResourceRequest:
			res, err := s.readFile(ctx, req)
			return res, protocolError(err)
		case *sdk.CallToolRequest:
			if req.Params == nil {
				return nil, invalid("params is missing; name the tool")
			}
			c := s.newCalling(ctx, req)
			req.Params.Name = everyTool
			res, err := next(context.WithValue(ctx, callingKey{}, c), method, req)
			if err == nil && c.task != nil {
				return c.task, nil
			}
			return res, protocolError(err)
		}
		return next(ctx, method, req)
	}
}
