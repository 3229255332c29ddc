package mcp

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// calling is a tools/call in progress.
type calling struct {
	tool    string
	id      string
	fresh   bool // id was made for this call
	waited  bool // the call ran already and was waited for
	trace   string
	parent  string // the traceparent that trace is of
	by      Caller
	client  *sdk.ClientCapabilities
	version string
	// task is the answer in place of a result, if the call became a task.
	task *createdTask
}

type callingKey struct{}

// newCalling identifies the caller and the call. It makes a new ID unless the transport
// has an ID by which a repeated request is recognized.
func (s *Server) newCalling(ctx context.Context, req *sdk.CallToolRequest) *calling {
	before := sentOf(ctx)
	c := &calling{
		tool: req.Params.Name, by: callerOf(ctx), client: req.ClientCapabilities(), version: req.ProtocolVersion(),
		id: before.callID, trace: before.traceID, waited: before.waited,
	}
	if c.trace == "" {
		parent, _ := req.Params.Meta["traceparent"].(string)
		c.trace, c.parent = traceOf(parent)
	}
	if c.client == nil {
		c.client = &sdk.ClientCapabilities{}
	}
	if c.id == "" {
		c.id, c.fresh = s.NewID(), true
	}
	if c.trace == "" {
		c.trace = newTrace()
	}
	return c
}

// stateless reports whether the client's protocol version has no sessions, so that it
// can be answered with a question or a task.
func (c *calling) stateless() bool { return c.version >= Versions()[0] }

// call answers tools/call: it runs the call, or continues a call whose person answered.
func (s *Server) call(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	c, ok := ctx.Value(callingKey{}).(*calling)
	if !ok {
		return nil, invalid("a tool is called by its name")
	}
	call := Call{
		ID: c.id, Fresh: c.fresh, TraceID: c.trace, Traceparent: c.parent, Tool: c.tool, Arguments: object(req.Params.Arguments), Wait: s.Wait,
	}
	if given, ok := req.Params.Meta[metaPriority]; ok {
		if call.Priority, ok = given.(string); !ok || !knownPriority(call.Priority) {
			return nil, invalid(`%s in _meta must be "interactive" or "batch"`, metaPriority)
		}
	}
	knowsTasks, asks := c.stateless() && hasExtension(c.client), s.asksIn(c)
	switch {
	case c.waited && (knowsTasks || !asks):
		call.Wait = 0
	case c.waited: // the first of the waits between which it is looked for questions
		call.Wait = s.Wait - min(s.Wait, askEvery)
	case knowsTasks:
		call.Wait = s.TaskAfter
	}
	if req.Params.RequestState != "" {
		var err error
		asks, err = s.answered(ctx, c, &call, req.Params)
		if refused, ok := errors.AsType[*refusedAnswer](err); ok {
			return refused.result(call), nil
		}
		if errors.Is(err, errOtherArguments) {
			return Outcome{
				CallID: call.ID, Tool: call.Tool, Status: "error", ErrorType: "validation_error", Message: err.Error(),
			}.answer().result(), nil
		}
		if err != nil {
			return nil, err
		}
		if !asks { // the person left the question open, which may be that of a program's step
			call.Wait = min(call.Wait, askEvery)
		}
	}
	// A client that disconnects cancels its call.
	gone := context.AfterFunc(ctx, func() { s.cancel(context.WithoutCancel(ctx), c.by, call.ID) })
	defer gone()
	stop := s.follow(ctx, req, c.by, call)
	out, err := s.execute(ctx, c.by, call, asks && !knowsTasks)
	stop()
	switch {
	case err != nil:
		return nil, err
	case out.asks() && asks:
		return s.ask(ctx, c, call, out, out.ConsentID)
	case out.Status == pending && knowsTasks:
		c.task = s.newTask(ctx, c.by, out)
		return &sdk.CallToolResult{}, nil // serve replaces it with the task
	case len(out.questions()) > 0 && asks: // of a step of a program, which goes on after the answer
		return s.ask(ctx, c, call, out, out.questions()[0])
	}
	if out.asks() {
		return s.unasked(ctx, c.by, out), nil
	}
	if out.ErrorType == "tool_not_found" {
		return nil, invalid("%s", out.Message)
	}
	return out.answer().result(), nil
}

// askEvery is the interval in which a call of a client that can be asked is looked at: whether it is
// a program, a step of which awaits the person.
const askEvery = 5 * time.Second

// execute runs a call until it is done, awaits a person or its wait is over; with steps also until
// a step of the program that it is awaits a person.
func (s *Server) execute(ctx context.Context, by Caller, call Call, steps bool) (Outcome, error) {
	if !steps {
		return s.platform.Execute(ctx, by, call)
	}
	for left := call.Wait; ; call.Fresh = false {
		call.Wait = min(left, askEvery)
		left -= call.Wait
		out, err := s.platform.Execute(ctx, by, call)
		if err != nil || out.Status != pending || len(out.questions()) > 0 || left == 0 {
			return out, err
		}
	}
}

// metaPriority is the key of a call's priority in the _meta of its request.
const metaPriority = "dev.helve/priority"

func knownPriority(p string) bool { return p == "" || p == "interactive" || p == "batch" }

// cancelWait bounds the time to forward a cancellation.
const cancelWait = 10 * time.Second

func (s *Server) cancel(ctx context.Context, by Caller, callID string) {
	ctx, done := context.WithTimeout(ctx, cancelWait)
	defer done()
	_ = s.platform.Cancel(ctx, by, callID) // it is done, or will end at its deadline
}

// createdAt returns the creation time of a call_id, which a UUIDv7 contains.
func createdAt(callID string) (time.Time, bool) {
	id, err := uuid.Parse(callID)
	if err != nil || id.Version() != 7 {
		return time.Time{}, false
	}
	seconds, nanos := id.Time().UnixTime()
	return time.Unix(seconds, nanos).UTC(), true
}

var traceparent = regexp.MustCompile(`^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$`)

// traceOf returns the trace of the client's request, if it names one.
func traceOf(text string) (trace, parent string) {
	found := traceparent.FindStringSubmatch(text)
	if found == nil || strings.Trim(found[1], "0") == "" {
		return "", ""
	}
	return found[1], text
}

func newTrace() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // cannot fail
	return hex.EncodeToString(id[:])
}

// object converts arguments for execute: MCP leaves out empty arguments.
func object(arguments json.RawMessage) json.RawMessage {
	if len(arguments) == 0 {
		return json.RawMessage("{}")
	}
	return arguments
}
