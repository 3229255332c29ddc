package dispatch

import (
	"context"
	"encoding/json"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/fleet/affinity"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/tool"
)

const (
	// strandedLook is the interval of checks for lanes whose workers may be gone.
	strandedLook = 3 * time.Second
	// strandedEnd bounds one look.
	strandedEnd = 30 * time.Second
)

// tendLanes moves calls out of lanes whose workers are gone, now and when the workers
// change, until ctx ends. Every dispatcher does it: a call that two of them move is
// stored once.
func (d *Dispatcher) tendLanes(ctx context.Context) {
	tick := time.NewTicker(strandedLook)
	defer tick.Stop()
	failed := false
	for {
		changed := d.Workers.Changed() // before the look, so that no change is missed
		if d.Queue.Conn.Connected() {
			err := d.clearLanes(ctx)
			if err != nil && !failed && ctx.Err() == nil {
				d.Log.Warn("lanes of workers that are gone not cleared; trying again", zap.Error(err))
			}
			failed = err != nil
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		case <-tick.C:
		}
	}
}

func (d *Dispatcher) clearLanes(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, strandedEnd)
	defer cancel()
	waiting, err := d.Queue.Calls.WaitingInKindLanes(ctx)
	if err != nil {
		return err
	}
	for _, w := range waiting {
		if d.Workers.Serves(w.Pool, w.Lane) {
			continue // they move what they cannot run
		}
		moved, err := d.Queue.Calls.Clear(ctx, w, func(e *call.Call) (queue.Fate, string) { return d.fate(ctx, e) })
		if moved > 0 {
			d.Log.Info("calls moved from a lane without workers",
				zap.String("pool", w.Pool), zap.String("lane", w.Lane), zap.String("tool", w.Tool), zap.Int("calls", moved))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fate decides about a call in a lane that no live worker serves. It goes to workers that
// have its tool, and waits for them until it must have started.
func (d *Dispatcher) fate(ctx context.Context, e *call.Call) (queue.Fate, string) {
	via := d.viaOf(e)
	name := e.Tool
	if def, ok := d.Catalog.Of(e.Tenant, e.User).Lookup(e.Tool); ok {
		name = announced(def)
	}
	p := d.Workers.Place(e.Pool, name, via)
	if p.Able > 0 {
		at, err := d.bind(ctx, e.Pool, affinity.Person{Tenant: e.Tenant, User: e.User}, name, via, p)
		if err != nil {
			return queue.Stays, ""
		}
		if e.Home = ""; at.home.Worker == "" {
			return queue.Moves, at.kind
		}
		at.home.Put(e, queue.SpillLane(e))
		return queue.Moves, e.Lane
	}
	if time.Now().Before(e.StartBy().Add(lateGrace)) {
		return queue.Stays, ""
	}
	element, err := d.expire(ctx, refTo(e, false))
	if element == nil || err != nil {
		return queue.Stays, ""
	}
	return queue.Ended, ""
}

// viaOf returns the tool that a queued call is a way to; empty if it is none, or any
// worker can run that one.
func (d *Dispatcher) viaOf(e *call.Call) string {
	if e.Tool != catalog.UseTool {
		return ""
	}
	var args struct {
		ToolName string `json:"tool_name"`
	}
	if json.Unmarshal(e.Arguments, &args) != nil {
		return ""
	}
	def, ok := d.Catalog.Of(e.Tenant, e.User).Lookup(args.ToolName)
	if !ok || def.Kind == tool.KindDynamic || def.Kind == tool.KindRemote {
		return ""
	}
	return def.Name
}
