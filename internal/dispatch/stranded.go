package dispatch

import (
	"context"
	"encoding/json"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/dispatch/place"
	"github.com/helve-dev/helve/internal/dispatch/results"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/tool"
)

const (
	// strandedLook is the interval of checks for lanes whose workers may be gone.
	strandedLook = 3 * time.Second
	// runProgram is the tool that workers have which can run programs.
	runProgram = "run_program"
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
		changed := d.Placer.Workers.Changed() // before the look, so that no change is missed
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
		if d.Placer.Workers.Serves(w.Pool, w.Lane) {
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
		name = place.Announced(def)
	}
	who := place.Person{Tenant: e.Tenant, User: e.User}
	at, able, err := d.Placer.Find(ctx, who, e.Pool, name, via)
	if err == nil && !able && e.Wake > 0 { // a program goes on without its tool
		at, able, err = d.Placer.Find(ctx, who, e.Pool, runProgram, "")
	}
	switch {
	case err != nil:
		return queue.Stays, ""
	case able:
		e.Home = ""
		if at.Home.Worker == "" {
			return queue.Moves, at.Kind
		}
		at.Home.Put(e, queue.SpillLane(e))
		return queue.Moves, e.Lane
	}
	if time.Now().Before(e.StartBy().Add(lateGrace)) {
		return queue.Stays, ""
	}
	element, err := d.expire(ctx, refTo(e, results.Named(e.Tenant, e.ID).In(e.Pool)))
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
