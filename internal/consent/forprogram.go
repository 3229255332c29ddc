package consent

import (
	"context"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/protocol"
)

// Program is a program that has not ended, as far as grants and tokens are bound to it.
type Program struct {
	User, TraceID string
	// Run names this run of it.
	Run string
}

// running returns a program that has not ended, nil for none.
func (svc *Service) running(ctx context.Context, tenant, callID string) (*Program, error) {
	if svc.Program == nil {
		return nil, nil
	}
	return svc.Program(ctx, tenant, callID)
}

// rememberForProgram stores the grants of a verdict that holds for the rest of a program. The
// request was written by a worker, so the program is taken from what dispatchers have stored. A
// program that has ended meanwhile has no rest.
func (svc *Service) rememberForProgram(ctx context.Context, r *protocol.Consent) error {
	if r.Program == nil || !strings.HasPrefix(r.Call.CallID, r.Program.CallID+"~") {
		return nil
	}
	p, err := svc.running(ctx, r.Tenant, r.Program.CallID)
	if err != nil {
		return err
	}
	for _, s := range subjectsOf(r) {
		adopts := r.Adopts != "" && s.Permission == r.Adopts // holds for its version of the tool, whatever remember is
		if !adopts && (p == nil || p.User != r.User || p.TraceID != r.Call.TraceID) {
			continue
		}
		if !adopts {
			s.Program = r.Program.CallID
		}
		grant := newGrant(r, r.Verdict, s)
		if !adopts {
			grant.TraceID, grant.ProgramRun = p.TraceID, p.Run
		}
		if err := svc.store(ctx, grant); err != nil {
			return err
		}
	}
	return nil
}

// withoutEnded returns grants without those for programs that have ended.
func (svc *Service) withoutEnded(ctx context.Context, list []protocol.Grant) ([]protocol.Grant, error) {
	var failed error
	list = slices.DeleteFunc(list, func(g protocol.Grant) bool {
		over, err := svc.isOver(ctx, &g)
		if err != nil {
			failed = err
		}
		return over
	})
	return list, failed
}

// isOver reports whether a grant is for a program that has ended.
func (svc *Service) isOver(ctx context.Context, g *protocol.Grant) (bool, error) {
	if g.Program == "" {
		return false, nil
	}
	p, err := svc.running(ctx, g.Tenant, g.Program)
	return err == nil && (p == nil || p.Run != g.ProgramRun), err
}

// endedEvery is the interval at which grants for programs that have ended are removed. They cover
// nothing before: no other program has their run, and no list has them.
const endedEvery = 30 * time.Second

// keepEnded removes the grants for programs that have ended, until ctx ends.
func (svc *Service) keepEnded(ctx context.Context) {
	tick := time.NewTicker(endedEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := svc.forgetEnded(ctx); err != nil && ctx.Err() == nil {
				svc.Log.Warn("grants of ended programs not removed; trying again", zap.Error(err))
			}
		}
	}
}

func (svc *Service) forgetEnded(ctx context.Context) error {
	keys, err := svc.grants.Bucket.Keys(ctx, "*.*.*.program.>")
	if err != nil {
		return err
	}
	for _, key := range keys {
		grant, err := svc.grants.get(ctx, key)
		if err != nil {
			return err
		}
		if grant == nil {
			continue
		}
		over, err := svc.isOver(ctx, grant)
		if err == nil && over {
			err = svc.grants.Bucket.Delete(ctx, key)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
