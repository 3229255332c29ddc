package toolbox

import (
	"context"
	"database/sql"
	"fmt"
	"io"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/timers"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/ports/tracedport"
	"github.com/helve-dev/helve/internal/ports/workspace"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Names of the parts: each is also the name of its package.
const (
	JavaScript = "javascript"
	MCP        = "mcp"
	OpenAPI    = "openapi"
	Programs   = "programs"
	Containers = "containers"
	Desktop    = "desktop"
	Fonts      = "fonts"
	Store      = "store"
	Mail       = "mail"
)

// Part is an optional part of a worker. Fields that do not apply to a part are zero.
type Part struct {
	Name string
	// Child serves as a child process if this process was started as one, and then ends
	// it; it returns immediately otherwise.
	Child func()
	// Tune sets what concerns the whole process, when a worker program starts.
	Tune func()
	// Ports are the ports that Open opens.
	Ports tool.Needs
	Open  func(config.Config, *workspace.Workspaces) (Ports, error)
	// Dial connects to the server of a service's entry by a protocol that is not HTTP, such
	// as smtp, and signs in, for the test of the entry. It returns the code of the answer.
	Dial func(ctx context.Context, dialer tool.Dialer, protocol string, secrets tool.Secrets, e tool.ServiceEntry) (int, error)
	// Attach adds tools to a worker that takes no calls yet, over NATS that is prepared.
	Attach func(context.Context, Host) (Attached, error)
}

// Ports fills in the ports of calls whose tools ask for all of [Part.Ports].
type Ports interface {
	// Fill opens the ports for the person of the call, within the scopes.
	Fill(call *tool.Call, within []tool.Scopes) error
	// Close ends what the ports started; it returns in bounded time.
	Close()
}

// Committer is implemented by [Ports] that store changes with the results of calls.
type Committer interface {
	// Committed returns the stored result of a call; nil if there is none.
	Committed(ctx context.Context, call *tool.Call) (*engine.Committed, error)
	// Refuse stores that a call ends in an error, or returns the outcome that another
	// attempt of it has stored.
	Refuse(ctx context.Context, call *tool.Call, reason *tool.Error) (*engine.Committed, error)
}

// Checker is implemented by [Ports] that can fail while the worker runs.
type Checker interface {
	// Check returns why the ports do not work now, or nil.
	Check(ctx context.Context) error
}

// Measured is implemented by [Ports] over a database.
type Measured interface {
	// Stats returns the state of the pools of connections.
	Stats() []sql.DBStats
}

// Tasks is implemented by [Ports] that keep scheduled tasks.
type Tasks interface {
	// Task tells a person's task which of its calls ended, or claims its runs that are due.
	// An empty person stands for calls without a user.
	Task(ctx context.Context, t timers.Task, r timers.Request) (timers.Work, error)
}

// Keeper is implemented by [Ports] that hold personal data.
type Keeper interface {
	// Serve answers a request about personal data, other than [peer.DataHello]. Its result
	// is encoded as JSON.
	Serve(ctx context.Context, r peer.DataRequest, in io.Reader, out io.Writer) (result any, err error)
}

// Host is the worker as its parts see it.
type Host struct {
	Worker  string // its id
	Config  config.Config
	Queue   *queue.Queue
	Log     *zap.Logger
	Metrics *telemetry.Metrics
	Tools   Tools
	// TraceMCP begins the span of a call of an MCP server; nil while nothing is traced.
	TraceMCP tracedport.MCPCall
	// Report publishes the load errors of a part, in place of those it reported before.
	Report func(ctx context.Context, part string, list []protocol.LoadError)
}

// Tools is the set of tools that a worker runs, which parts add to.
type Tools interface {
	// Builtin reports whether the worker was built with a tool of this name.
	Builtin(name string) bool
	// Taken reports whether a tool that every tenant has on this worker has the name.
	Taken(name string) bool
	// TakenFor reports whether the name belongs to any tool that the tenant has, on
	// whichever worker, other than those that models wrote.
	TakenFor(tenant, name string) bool
	// Declared returns the tools that an entry of a durable tool's list names for a person; none if
	// no such tool is known now, on whichever worker.
	Declared(tenant, user, entry string) []*tool.Definition
	// Check refuses a definition that could not be offered here.
	Check(def *tool.Definition) error
	// Home returns a tool of a part in the pool that this worker's tools belong to unless
	// they name another.
	Home(t *tool.Tool) *tool.Tool
	// Elsewhere reports whether another live worker announces the tool.
	Elsewhere(def *tool.Definition) bool
	// Replace offers the tools of files in place of those offered before. Tools that
	// cannot be offered are returned by name.
	Replace(files []*tool.Tool) (refused map[string]error, err error)
	// Serve does the same for the tools that a part has from elsewhere.
	Serve(part string, served []*tool.Tool) (refused map[string]error, err error)
	// Definitions returns those of all tools that every tenant has.
	Definitions() []tool.Definition
}

// Attached holds the additions of a part to a worker. Fields that do not apply are nil.
type Attached struct {
	// Custom runs the tools that models wrote.
	Custom Custom
	// Durable runs the programs of models.
	Durable Durable
	// Refuses returns why a tool that is known is withheld, or nil.
	Refuses func(name string) *tool.Error
	// Follow registers the tools, and again whenever they change, until life ends. It
	// returns when those that are there now are registered.
	Follow func(life context.Context) error
	// Close ends what the part started. No tool of it runs afterwards.
	Close func()
}

// Durable runs the programs of models, as calls of durable tools.
type Durable interface {
	// For returns the port for a job, whose agent sees the tools of the catalogue.
	For(j *engine.Job, c tool.Catalogue) tool.Durable
	// Kept returns the durable tool that the program of a job began with; nil if it has not begun.
	Kept(ctx context.Context, j *engine.Job) (*tool.Tool, error)
	// Reserve waits for a sandbox. The error is a *tool.Error.
	Reserve(ctx context.Context, call *tool.Call) (engine.Room, error)
}

// Custom is the registry of the tools that models wrote.
type Custom interface {
	tool.CustomTools
	// Follow fills the registry, and keeps it current until ctx ends.
	Follow(ctx context.Context) error
	// Lookup returns a tool that the user has; nil if there is none of the name.
	Lookup(tenant, user, name string) (*engine.Entry, error)
	// Permissions returns those of a tool's code.
	Permissions(tenant, user, name string) []string
	// Definitions returns those of all tools that the user has.
	Definitions(tenant, user string) []*tool.Definition
}

// Gone returns the definitions of before that are not among now, and whose names no other
// tool of the worker has.
func Gone(before, now []tool.Definition, tools Tools) []tool.Definition {
	var gone []tool.Definition
	there := namesOf(now)
	for _, def := range before {
		if !tools.Taken(def.Name) && !there[def.Name] {
			gone = append(gone, def)
		}
	}
	return gone
}

// Holds reports whether one of defs has the name.
func Holds(defs []tool.Definition, name string) bool {
	for _, def := range defs {
		if def.Name == name {
			return true
		}
	}
	return false
}

func namesOf(defs []tool.Definition) map[string]bool {
	set := make(map[string]bool, len(defs))
	for i := range defs {
		set[defs[i].Name] = true
	}
	return set
}

// Missing returns the error for something that needs a part which the program does not
// have.
func Missing(what, part string) error {
	return fmt.Errorf("%s; this program was built without the part: import github.com/helve-dev/helve/worker/parts/%s and add %s.Part() to "+
		"the Parts of its worker.Program", what, part, part)
}
