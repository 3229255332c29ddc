package js

import (
	"context"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/helve-dev/helve/tool"
)

// Limits on a script's requests to its host.
const (
	// MaxBody limits the bytes of one body of fetch, each way, and of one file. With
	// its envelope it fits a frame of the sandbox.
	MaxBody = 5 << 20

	maxAnswer  = 8<<20 - 64<<10 // the rest of a frame is its envelope
	maxFetches = 100
	maxCalls   = 50
	maxFileOps = 10_000
	maxAsks    = 1000 // lists of tools, services, libraries
	maxName    = 256
	maxLines   = 200 + 1 // the last one reports that there were more
	maxLogged  = 128 << 10
	maxLine    = 8 << 10
	maxMessage = 2 << 10
	atOnce     = 10 // concurrent fetches and calls of one script; others wait
)

// Ports is a [Host] over the ports of a call. It serves one run of a script and must
// not be used again. It does not trust the script's side: it checks every permission,
// argument, size and count itself, because a child process may be compromised. It is
// safe for concurrent use.
type Ports struct {
	// Call is the call that the script serves. Missing ports are refused.
	Call *tool.Call
	// Network and Files are set if fetches and files are granted.
	Network, Files bool
	// Services lists the config center services that may be read; all others are
	// refused.
	Services []string
	// Log receives each line of the console, in addition to the call's events; it may
	// be nil. It may be called concurrently.
	Log func(LogLine)
	// Lib returns the source of a shared library; nil means that there are none. Its
	// error is shown to the script.
	Lib func(name string) (source string, err error)

	// Budget, if set, limits the held answers to this script and others.
	Budget *Budget

	handed                                     handed // the secrets that the script received
	fetches, calls, files, asks, lines, logged atomic.Int64

	slots     chan struct{}
	makeSlots sync.Once
	notes     notes
}

var _ BodyHost = (*Ports)(nil)

// Do implements [Host]. It returns a *tool.Error: validation_error for invalid
// arguments, permission_denied for an operation that is not granted, rate_limited for
// too many requests, otherwise the failure of the port.
func (p *Ports) Do(ctx context.Context, op Op, args json.RawMessage) (json.RawMessage, error) {
	held := p.portion()
	defer held.release()
	answer, err := p.serve(ctx, Request{Op: op, Args: args}, held)
	if err != nil {
		return nil, shortened(err)
	}
	return encodeAnswer(op, answer)
}

// Answer implements [BodyHost]. It fails as Do does, and with overloaded if the budget
// has no room for the answer within some seconds.
func (p *Ports) Answer(ctx context.Context, req Request) (answer Answer, err error) {
	held := p.portion()
	defer func() {
		if answer.Done == nil { // it failed, or panicked
			held.release()
		}
	}()
	served, err := p.serve(ctx, req, held)
	if err != nil {
		return Answer{}, shortened(err)
	}
	body := takeBody(served)
	value, err := encodeAnswer(req.Op, served)
	if err != nil {
		return Answer{}, err
	}
	if len(value) > smallAnswer {
		if err := held.take(ctx, int64(len(value))); err != nil {
			return Answer{}, shortened(err)
		}
	}
	return Answer{Value: value, Body: body, Done: sync.OnceFunc(held.release)}, nil
}

func (p *Ports) portion() *portion {
	return &portion{budget: p.Budget, who: spender{p.Call.Tenant, p.Call.User}}
}

// takeBody removes the body from an answer that has one.
func takeBody(answer any) (body []byte) {
	switch a := answer.(type) {
	case *FetchResponse:
		body, a.Body = a.Body, nil
	case *FileResponse:
		body, a.Data = a.Data, nil
	}
	return body
}

func encodeAnswer(op Op, answer any) (json.RawMessage, error) {
	raw, err := json.Marshal(answer)
	if err != nil {
		return nil, tool.Fail(tool.ExecutionError, "the answer to %s cannot be encoded", op).Because(err)
	}
	if len(raw) > maxAnswer {
		return nil, tool.Fail(tool.ExecutionError, "the answer to %s has more than %d MB; ask for less", op, maxAnswer>>20)
	}
	return raw, nil
}

// shortened returns err with a message of limited length: most messages quote the
// request, which the script may have made arbitrarily long.
func shortened(err error) *tool.Error {
	e := *tool.AsError(err)
	e.Msg = cut(e.Msg, maxMessage)
	return &e
}

func (p *Ports) serve(ctx context.Context, req Request, held *portion) (any, error) {
	op, args := req.Op, req.Args
	switch op {
	case OpFetch:
		return decoded(ctx, args, func(ctx context.Context, fetch FetchRequest) (*FetchResponse, error) {
			if len(req.Body) > 0 {
				fetch.Body = req.Body
			}
			return p.fetch(ctx, fetch, held)
		})
	case OpFile:
		return decoded(ctx, args, func(ctx context.Context, file FileRequest) (*FileResponse, error) {
			if len(req.Body) > 0 {
				file.Data = req.Body
			}
			return p.file(ctx, file, held)
		})
	case OpLog:
		return decoded(ctx, args, p.log)
	case OpCall:
		return decoded(ctx, args, p.call)
	case OpTools:
		return p.tools()
	case OpService:
		return decoded(ctx, args, p.service)
	case OpLib:
		return decoded(ctx, args, p.lib)
	case OpNext, OpUses: // of programs, which have no ports
	}
	return nil, tool.Fail(tool.Unsupported, "there is no operation %.40q", string(op))
}

// decoded calls f with the arguments of an operation.
func decoded[A, R any](ctx context.Context, args json.RawMessage, f func(context.Context, A) (R, error)) (any, error) {
	var a A
	if len(args) > maxAnswer {
		return nil, tool.Fail(tool.ValidationError, "a request has more than %d MB", maxAnswer>>20)
	}
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, tool.Fail(tool.ValidationError, "the arguments are not those of the operation").Because(err)
	}
	return f(ctx, a)
}

// spend counts one use and refuses it above the limit for a call.
func spend(n *atomic.Int64, most int64, what string) error {
	if n.Add(1) > most {
		return tool.Fail(tool.RateLimited, "a call may make at most %d %s", most, what)
	}
	return nil
}

func (p *Ports) call(ctx context.Context, req CallRequest) (json.RawMessage, error) {
	if p.Call.Tools == nil {
		return nil, tool.Fail(tool.PermissionDenied, "this tool may not call others")
	}
	if err := spend(&p.calls, maxCalls, "calls of other tools"); err != nil {
		return nil, err
	}
	if len(req.Name) > maxName {
		return nil, tool.Fail(tool.ToolNotFound, "Tool %.64q not found", req.Name)
	}
	if len(req.Args) == 0 || string(req.Args) == "null" {
		req.Args = json.RawMessage("{}")
	}
	if err := p.enter(ctx); err != nil {
		return nil, err
	}
	defer func() { <-p.slots }()
	result, err := p.Call.Tools.Call(ctx, req.Name, req.Args)
	if err == nil {
		p.notes.add(req.Name, result.Notes)
	}
	return result.Value, err
}

func (p *Ports) tools() ([]ToolInfo, error) {
	if p.Call.Tools == nil {
		return []ToolInfo{}, nil
	}
	if err := spend(&p.asks, maxAsks, "requests of this kind"); err != nil {
		return nil, err
	}
	list := p.Call.Tools.List()
	infos := make([]ToolInfo, len(list))
	for i, d := range list {
		infos[i] = ToolInfo{Name: d.Name, Description: d.Description, Category: d.Category, Parameters: d.Parameters}
	}
	return infos, nil
}

func (p *Ports) service(ctx context.Context, name string) ([]tool.ServiceEntry, error) {
	if err := spend(&p.asks, maxAsks, "requests of this kind"); err != nil {
		return nil, err
	}
	if !slices.Contains(p.Services, name) {
		return nil, tool.Fail(tool.PermissionDenied, "the service %.64q was not declared; name it in the tool's required_api_keys", name)
	}
	if p.Call.Secrets == nil {
		return nil, tool.Fail(tool.NotConfigured,
			"this worker has no config center, so the service %.64q has no entries; its operator starts the worker with --secrets-key FILE and "+
				"sets them: helve config set SERVICE",
			name)
	}
	entries, err := p.Call.Secrets.Entries(ctx, name)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		p.handed.add(slices.Collect(maps.Values(e.Data))...)
	}
	return append([]tool.ServiceEntry{}, entries...), nil // [], not null
}

var libName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func (p *Ports) lib(_ context.Context, name string) (string, error) {
	if err := spend(&p.asks, maxAsks, "requests of this kind"); err != nil {
		return "", err
	}
	if p.Lib == nil || !libName.MatchString(name) {
		return "", tool.Fail(tool.ValidationError, "there is no shared library %.64q", name)
	}
	source, err := p.Lib(name)
	if err == nil && len(source) > MaxSource {
		err = tool.Fail(tool.ValidationError, "the shared library %s has more than %d bytes", name, MaxSource)
	}
	return source, err
}

// log never fails because of the number or length of lines, because logging must not
// end a script; excess lines are dropped.
func (p *Ports) log(_ context.Context, line LogLine) (any, error) {
	if !slices.Contains([]string{"debug", "info", "warn", "error"}, line.Level) {
		return nil, tool.Fail(tool.ValidationError, "there is no log level %.20q", line.Level)
	}
	line.Message = p.handed.clean(cut(line.Message, maxLine))
	if p.lines.Add(1) > maxLines || p.logged.Add(int64(len(line.Message))) > maxLogged {
		return nil, nil
	}
	if p.Call.Events != nil {
		p.Call.Events.Emit("log", line)
	}
	if p.Log != nil {
		p.Log(line)
	}
	return nil, nil
}
