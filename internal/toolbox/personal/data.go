package personal

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/engine/gate"
	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/tool"
)

// Options holds what a [Server] needs.
type Options struct {
	Queue *queue.Queue
	Pools []string
	// Keeper holds personal data, Tasks scheduled tasks; nil if there are none here.
	Keeper toolbox.Keeper
	Tasks  toolbox.Tasks
	// Store is the name of the database.
	Store string
	// Apart reports whether other workers of a pool keep their data in another database.
	Apart func(pool string) bool
	// TestService tests an entry of a service, Rules answers about the rules in force.
	TestService func(ctx context.Context, r peer.DataRequest) (any, error)
	Rules       gate.Explainer
	// Erase removes what this worker holds of a person beside the database.
	Erase func(tenant, person string) error
	Log   *zap.Logger
}

// Server answers requests about the personal data that this worker holds.
type Server struct {
	Options

	// running holds the persons whose data is exported, imported or deleted here.
	running sync.Map
}

// New returns a server that answers nothing yet.
func New(o Options) *Server { return &Server{Options: o} }

// Serve answers requests until life ends. A worker apart answers none: it is a person's machine.
func (s *Server) Serve(life context.Context) error {
	if s.Queue.Conn.Apart() {
		return nil
	}
	return errors.Join(s.serveTasks(life), s.serveData(life))
}

// serveData answers requests about personal data until life ends.
func (s *Server) serveData(life context.Context) error {
	if s.Keeper == nil {
		return nil
	}
	for _, pool := range s.Pools {
		if queue.BasePool(pool) != pool {
			continue // a person's machine
		}
		err := s.Queue.Data.Serve(life, pool, func(ctx context.Context, r peer.DataRequest, in io.Reader, out io.Writer) peer.DataAnswer {
			if s.Apart(pool) {
				return peer.DataAnswer{Refused: true}
			}
			return s.answer(ctx, r, in, out)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// long are the operations on all data of a person. A worker does one of them at a time for
// each person, so that nobody can take all slots.
var long = map[peer.DataOp]bool{peer.DataExport: true, peer.DataImport: true, peer.DataDelete: true}

func (s *Server) answer(ctx context.Context, r peer.DataRequest, in io.Reader, out io.Writer) peer.DataAnswer {
	a := peer.DataAnswer{Store: s.Store}
	if r.Op == peer.DataHello {
		return a
	}
	if long[r.Op] {
		who := r.Tenant + "/" + r.Person
		if _, busy := s.running.LoadOrStore(who, true); busy {
			a.Kind, a.Message = string(tool.Overloaded),
				"the data of this person is being exported, imported or deleted; try again when that is done"
			return a
		}
		defer s.running.Delete(who)
	}
	var result any
	var err error
	switch r.Op {
	case peer.DataServiceTest:
		result, err = s.TestService(ctx, r)
	case peer.DataPolicy:
		result = s.Rules.InForce()
	case peer.DataPolicyExplain:
		result, err = s.Rules.Explain(r.Tenant, r.Policy)
	default:
		result, err = s.Keeper.Serve(ctx, r, in, out)
	}
	if err == nil && r.Op == peer.DataDelete {
		err = s.Erase(r.Tenant, r.Person) // what this worker holds beside the store
	}
	if err == nil {
		a.Result, err = json.Marshal(result)
	}
	if e := tool.AsError(err); e != nil {
		a.Kind, a.Message = string(e.Kind), e.Msg
		if e.Kind == tool.Internal {
			s.Log.Error("personal data not served", zap.String("operation", string(r.Op)), zap.String("tenant", r.Tenant), zap.Error(err))
		}
	}
	return a
}
