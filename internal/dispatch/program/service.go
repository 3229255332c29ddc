package program

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	jsonv "github.com/go-json-experiment/json"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/programs"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/x/failpoint"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Options are the surroundings of a Service.
type Options struct {
	Queue *queue.Queue
	Store *programs.Store
	// Trail takes the records of programs that end while they wait.
	Trail interface {
		End(ctx context.Context, pool, origin string, element []byte, r *protocol.AuditRecord) error
	}
	Log *zap.Logger
	// Metrics counts turns and what they read and write; nil for none.
	Metrics *telemetry.Metrics
	// Lookup returns a tool that a person has.
	Lookup func(tenant, user, conversation, name string) (*tool.Definition, bool)
	// Hot is the time without an event after which a turn ends.
	Hot time.Duration
	// MaxPerson and MaxTenant bound the programs that have not ended.
	MaxPerson, MaxTenant int
}

// Calls makes and ends the steps of programs, as [dispatch.Dispatcher] does.
type Calls interface {
	Execute(ctx context.Context, req dispatch.Request) (dispatch.Response, error)
	Cancel(ctx context.Context, tenant, callID string) (element json.RawMessage, err error)
	// Outcome returns the result of an accepted call, nil if it has none.
	Outcome(ctx context.Context, tenant, callID string, rec queue.Acceptance) ([]byte, error)
}

// Service is the programs of a dispatcher. Its methods are safe for concurrent use.
type Service struct {
	Options
	calls Calls
	index *index

	sessions sync.Map // by number: *session
	opened   atomic.Uint64
}

// Open follows the programs that are stored, until life ends.
func Open(life context.Context, o Options) (*Service, error) {
	s := &Service{Options: o, index: newIndex()}
	return s, o.Store.Follow(life, s.index.set)
}

// Serve answers the turns of programs, whose steps calls makes, until life ends.
func (s *Service) Serve(life context.Context, calls Calls) error {
	s.calls = calls
	return s.Queue.Programs.Serve(life, s.answer)
}

// asked are the arguments of a call of run_program that concern the platform.
type asked struct {
	Tools   []string `json:"tools"`
	Timeout float64  `json:"timeout_seconds"`
}

// Begin implements [dispatch.Programs].
func (s *Service) Begin(ctx context.Context, c *call.Call, def *tool.Definition) (stored *call.Call, err error) {
	if def == nil {
		return s.rejoin(ctx, c)
	}
	k := programs.Key{Tenant: c.Tenant, CallID: c.ID}
	depth, outer, err := s.around(ctx, c)
	if err != nil {
		return nil, err
	}
	if s.index.get(k) == nil {
		if err := s.room(c); err != nil {
			return nil, err
		}
	}
	p := durable.New(c, allowed(c, def), depth)
	var within [][]string
	if outer != nil {
		within, p.Around = outer.Within, outer.Runs()
	}
	if own := toolsOf(c, def); own != nil {
		within = append(within, own)
	}
	p.Within = within
	if err := s.goOn(ctx, c, p); err != nil {
		return nil, err
	}
	err = s.Store.Create(ctx, k, p)
	if errors.Is(err, natsio.ErrExists) { // the call is sent again
		return s.rejoin(ctx, c)
	}
	if err != nil {
		return nil, err
	}
	return nil, begun(c, p)
}

// rejoin gives a call the key of its program, which is stored, and returns the call of that.
func (s *Service) rejoin(ctx context.Context, c *call.Call) (*call.Call, error) {
	p, _, err := s.Store.Read(ctx, programs.Key{Tenant: c.Tenant, CallID: c.ID})
	if err != nil {
		return nil, err
	}
	if p == nil {
		return nil, natsio.ErrUnavailable
	}
	return p.Call, begun(c, p)
}

func begun(c *call.Call, p *durable.Program) error {
	c.Program, c.StartByMS = p.Key, p.DeadlineMS
	return failpoint.Hit(failpoint.ProgramBegun)
}

// allowed returns the time that a program has: by the arguments of run_program, or by the
// definition of a durable tool.
func allowed(c *call.Call, def *tool.Definition) time.Duration {
	name, args := given(c)
	if name != RunProgram {
		return min(def.Timeout(), durable.MaxTime)
	}
	var a asked
	if jsonv.Unmarshal(args, &a) != nil || a.Timeout <= 0 {
		return durable.DefaultTime
	}
	return min(time.Duration(a.Timeout*float64(time.Second)), durable.MaxTime)
}

func (s *Service) room(c *call.Call) error {
	person, tenant := s.index.open(c.Tenant, c.User)
	switch {
	case person >= s.MaxPerson:
		return tool.Fail(tool.RateLimited, "the person has %d programs that have not ended, as many as they may; wait for one, or cancel one",
			person)
	case tenant >= s.MaxTenant:
		return tool.Fail(tool.RateLimited, "%d programs have not ended, as many as this installation allows a tenant; try again later", tenant)
	}
	return nil
}

// around returns how many programs are around a call, and the innermost of them.
func (s *Service) around(ctx context.Context, c *call.Call) (depth int, outer *durable.Program, err error) {
	if c.Parent == "" {
		return 0, nil, nil
	}
	outer, _, err = s.Store.Read(ctx, programs.Key{Tenant: c.Tenant, CallID: c.Parent})
	if err != nil {
		return 0, nil, err
	}
	if outer == nil || outer.Depth+1 >= durable.MaxDepth {
		return 0, nil, tool.Fail(tool.RateLimited,
			"programs may be %d deep, and this one would be deeper; make its calls in the program itself", durable.MaxDepth)
	}
	return outer.Depth + 1, outer, nil
}

// Withdraw removes the program of a call that was not accepted.
func (s *Service) Withdraw(ctx context.Context, tenant, callID string) error {
	return s.Store.Remove(ctx, programs.Key{Tenant: tenant, CallID: callID})
}

// Find implements [dispatch.Programs].
func (s *Service) Find(tenant, callID string) (*queue.Acceptance, []protocol.ProgramWait) {
	k := s.index.get(programs.Key{Tenant: tenant, CallID: callID})
	if k == nil || k.state == durable.Done {
		return nil, nil
	}
	return k.acceptance(), s.index.awaited(k)
}

// acceptance returns the acceptance of a program's call, which may have expired.
func (k *known) acceptance() *queue.Acceptance {
	return &queue.Acceptance{
		Tool: k.tool, TraceID: k.trace, Pool: k.pool, User: k.user, Agent: k.agent, AcceptedMS: k.startedMS, DeadlineMS: k.deadlineMS,
		StartByMS: k.deadlineMS, Via: k.via, ToolCallID: k.toolCallID, Conversation: k.conversation,
	}
}

// Waiting calls each for every program of a tenant that waits, as a call, with the time since
// when.
func (s *Service) Waiting(tenant string, each func(c *call.Call, since time.Time)) {
	s.index.each(func(k *known) {
		if k.key.Tenant != tenant || k.state != durable.Waiting {
			return
		}
		each(&call.Call{
			ID: k.key.CallID, TraceID: k.trace, Tool: k.tool, User: k.user, Agent: k.agent, Conversation: k.conversation, Pool: k.pool,
			AcceptedMS: k.startedMS,
		}, time.UnixMilli(k.atMS).UTC())
	})
}
