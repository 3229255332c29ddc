package worker

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"sync"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/tool"
)

// keeper returns the part that holds personal data; nil if there is none.
func (m machine) keeper() toolbox.Keeper {
	for _, p := range m {
		if k, ok := p.ports.(toolbox.Keeper); ok {
			return k
		}
	}
	return nil
}

// serveData answers requests about personal data until life ends.
func (w *Worker) serveData(life context.Context, reach ports) error {
	keeper := reach.machine.keeper()
	if w.queue.Conn.Apart() || keeper == nil {
		return nil
	}
	d := dataServer{w: w, keeper: keeper, reach: reach, store: w.member.Store(), running: &sync.Map{}}
	for pool := range w.pools {
		if queue.BasePool(pool) != pool {
			continue // a person's machine
		}
		err := w.queue.Data.Serve(life, pool, func(ctx context.Context, r queue.DataRequest, in io.Reader, out io.Writer) queue.DataAnswer {
			if w.member.DataApart(pool) {
				return queue.DataAnswer{Refused: true}
			}
			return d.answer(ctx, r, in, out)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// dataServer answers requests about the personal data that this worker holds.
type dataServer struct {
	w      *Worker
	keeper toolbox.Keeper
	reach  ports
	store  string
	// running holds the persons whose data is exported, imported or deleted here.
	running *sync.Map
}

// long are the operations on all data of a person. A worker does one of them at a time for
// each person, so that nobody can take all slots.
var long = map[queue.DataOp]bool{queue.DataExport: true, queue.DataImport: true, queue.DataDelete: true}

func (d dataServer) answer(ctx context.Context, r queue.DataRequest, in io.Reader, out io.Writer) queue.DataAnswer {
	a := queue.DataAnswer{Store: d.store}
	if r.Op == queue.DataHello {
		return a
	}
	if long[r.Op] {
		who := r.Tenant + "/" + r.Person
		if _, busy := d.running.LoadOrStore(who, true); busy {
			a.Kind, a.Message = string(tool.Overloaded),
				"the data of this person is being exported, imported or deleted; try again when that is done"
			return a
		}
		defer d.running.Delete(who)
	}
	var result any
	var err error
	switch {
	case r.Op == queue.DataServiceTest:
		result, err = d.testService(ctx, r)
	case slices.Contains(policyOps, r.Op):
		result, err = d.w.policy(r)
	default:
		result, err = d.keeper.Serve(ctx, r, in, out)
	}
	if err == nil && r.Op == queue.DataDelete {
		err = d.reach.files.Erase(r.Tenant, r.Person) // what this worker holds beside the store
	}
	if err == nil {
		a.Result, err = json.Marshal(result)
	}
	if e := tool.AsError(err); e != nil {
		a.Kind, a.Message = string(e.Kind), e.Msg
		if e.Kind == tool.Internal {
			d.w.kit.Log.Error("personal data not served", zap.String("operation", string(r.Op)), zap.String("tenant", r.Tenant), zap.Error(err))
		}
	}
	return a
}
