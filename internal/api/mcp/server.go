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

// Versions of the protocol that are spoken, the newest first.
func Versions() []string { return []string{"2026-07-28", "2025-11-25", "2025-06-18"} }

// Options tune a server. The zero value is ready to use, but for a State.
type Options struct {
	// Version is Helve's own, as clients are told it.
	Version string
	// DiscoveryOnly offers only the tools that find and run the others.
	DiscoveryOnly bool
	// ConsoleURL is where a person decides, with the consent_id to be put at its end;
	// empty means that clients show the question themselves.
	ConsoleURL string
	// State signs what a client must bring back.
	State State
	// Wait is how long a call is waited for: 5 minutes. TaskAfter is when it becomes a
	// task for a client that knows tasks: 2 s.
	Wait, TaskAfter time.Duration
	// BodyTime is how long a client may take to send a request: 30 s.
	BodyTime time.Duration
	// Patience is how long a client may take nothing of an answer before its connection
	// is cut: 10 s.
	Patience time.Duration
	// NewID makes call_ids: UUIDs of version 7, which say when they were made.
	NewID func() string
	// TaskTTL is for how long a client may ask for a task: 1 h.
	TaskTTL time.Duration
}

// Server answers MCP clients. It holds nothing of any of them.
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
	capabilities := &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}}
	capabilities.AddExtension(tasksExtension, nil)
	s.info = &sdk.Implementation{Name: "helve", Title: "Helve", Version: o.Version}
	s.sdk = sdk.NewServer(s.info, &sdk.ServerOptions{
		SupportedProtocolVersions: Versions(),
		Capabilities:              capabilities,
		Logger:                    slog.New(slog.DiscardHandler), // what a client does wrong is told to the client
	})
	// The server of the SDK has one tool, which is all of them: it is by its way through
	// that tool that an answer gets what its version of the protocol wants.
	s.sdk.AddTool(&sdk.Tool{Name: everyTool, InputSchema: json.RawMessage(`{"type":"object"}`)}, s.call)
	s.sdk.AddReceivingMiddleware(s.serve)
	s.serveTasks()
	return s
}

// everyTool stands for whichever tool is called. No tool can have the name.
const everyTool = "*"

// Stream serves one client, on behalf of by, that writes a message a line to in and
// reads them from out, until ctx ends or the client closes its side and has its answers.
func (s *Server) Stream(ctx context.Context, by Caller, in io.ReadCloser, out io.WriteCloser) error {
	by.Session = true
	both := newParting(in, out)
	return s.sdk.Run(withCaller(ctx, by), &sdk.IOTransport{Reader: both, Writer: both})
}

// serve answers what is about tools and leaves the rest to the SDK.
func (s *Server) serve(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		switch req := req.(type) {
		case *sdk.ListToolsRequest:
			res, err := s.list(ctx, req)
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
