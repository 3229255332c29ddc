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

// The bounds on what one script may ask of its host.
const (
	// MaxBody is the most bytes of one body of fetch, each way, and of one file.
	// In base64 it fits a frame of the sandbox.
	MaxBody = 5 << 20

	maxAnswer  = 8<<20 - 64<<10 // the rest of a frame is its envelope
	maxFetches = 100
	maxCalls   = 50
	maxFileOps = 10_000
	maxAsks    = 1000 // lists of tools, services, libraries
	maxName    = 256
	maxLines   = 200 + 1 // the last one says that there were more
	maxLogged  = 128 << 10
	maxLine    = 8 << 10
	maxMessage = 2 << 10
	atOnce     = 10 // fetches and calls of one script that run at a time; others wait
)

// Ports is a [Host] over the ports of a call. It serves one run of a script and
// must not be used again. It trusts nothing the script's side says: what is
// granted, every argument, every size and every count is judged here, because a
// child process may have been taken over. It is safe for concurrent use.
type Ports struct {
	// Call is the call that the script serves. Ports it lacks are refused.
	Call *tool.Call
	// Network and Files say whether fetches and files are granted.
	Network, Files bool
	// Services are the services of the config center that may be read; no other
	// is, so none if it is empty.
	Services []string
	// Log gets each line of the console, beside the call's events; it may be nil.
	// It may be called from several goroutines at once.
	Log func(LogLine)
	// Lib returns the source of a shared library; nil means that there are none.
	// Its error is shown to the script.
	Lib func(name string) (source string, err error)

	handed                                     handed // what the script was handed
	fetches, calls, files, asks, lines, logged atomic.Int64

	slots     chan struct{}
	makeSlots sync.Once
}

var _ Host = (*Ports)(nil)

// Do implements [Host]. The error is a *tool.Error: validation_error for
// arguments that are not what the operation takes, permission_denied for what is
// not granted, rate_limited for more than a script may ask, and else what the
// port failed with.
func (p *Ports) Do(ctx context.Context, op Op, args json.RawMessage) (json.RawMessage, error) {
	answer, err := p.serve(ctx, op, args)
	if err != nil {
		return nil, shortened(err)
	}
	raw, err := json.Marshal(answer)
	if err != nil {
		return nil, tool.Fail(tool.ExecutionError, "the answer to %s cannot be encoded", op).Because(err)
	}
	if len(raw) > maxAnswer {
		return nil, tool.Fail(tool.ExecutionError, "the answer to %s has more than %d MB; ask for less", op, maxAnswer>>20)
	}
	return raw, nil
}

// shortened is err with a message of bounded length: most name what was asked for,
// which the script may have made as long as it liked.
func shortened(err error) *tool.Error {
	e := *tool.AsError(err)
	e.Msg = cut(e.Msg, maxMessage)
	return &e
}

func (p *Ports) serve(ctx context.Context, op Op, args json.RawMessage) (any, error) {
	switch op {
	case OpFetch:
		return decoded(ctx, args, p.fetch)
	case OpFile:
		return decoded(ctx, args, p.file)
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
	}
	return nil, tool.Fail(tool.Unsupported, "there is no operation %.40q", string(op))
}

// decoded gives f the arguments of an operation.
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

// spend refuses what goes beyond the most there may be of something in a call.
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
		return nil, tool.Fail(tool.NotConfigured, "this worker has no config center, so the service %.64q has no entries", name)
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

// log never fails for its number or length, because a script must not end for
// what it tells; what is too much is dropped.
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
