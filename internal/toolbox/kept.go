package toolbox

import (
	"context"
	"slices"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/tool"
)

// Kept returns the durable tool that the program of a job began with, ready to be called; nil if
// it has not begun.
func (t *Toolbox) Kept(ctx context.Context, j *engine.Job) (*engine.Entry, error) {
	if t.runs == nil {
		return nil, nil
	}
	tl, err := t.runs.Kept(ctx, j)
	if tl == nil || err != nil {
		return nil, err
	}
	entry, err := engine.NewEntry(tl)
	if err != nil {
		return nil, err
	}
	entry.Reserve = t.reserveProgram
	return entry, nil
}

func (t *Toolbox) reserveProgram(ctx context.Context, call *tool.Call) (engine.Room, error) {
	return t.runs.Reserve(ctx, call)
}

// rated returns the entry of a durable tool with the risk and the reach of the tools that it may
// call, as they are now; other entries unchanged.
func (t *Toolbox) rated(tenant, user string, e *engine.Entry) *engine.Entry {
	def := t.known(tenant, user).Rated(&e.Tool.Definition)
	if def == &e.Tool.Definition {
		return e
	}
	rated := *e.Tool
	rated.Definition = *def
	return &engine.Entry{Tool: &rated, Schema: e.Schema, Reserve: e.Reserve}
}

// Declared implements [Tools]. The tools of this worker count also before they are registered.
func (t *Toolbox) Declared(tenant, user, entry string) []*tool.Definition {
	found := t.own().Of(tenant, user).Declared(entry)
	if t.All == nil {
		return found
	}
	for _, def := range t.All.Of(tenant, user).Declared(entry) {
		if !slices.ContainsFunc(found, func(have *tool.Definition) bool { return have.Name == def.Name }) {
			found = append(found, def)
		}
	}
	return found
}

// known returns the tools of all workers that a person has; those of this worker where the others
// are not known.
func (t *Toolbox) known(tenant, user string) catalog.View {
	if t.All != nil {
		return t.All.Of(tenant, user)
	}
	return t.own().Of(tenant, user)
}

// own returns the tools of this worker.
func (t *Toolbox) own() *catalog.Tenants {
	own := catalog.New()
	own.Edit(func(put func(tool.Definition) error, _ func(string)) {
		for _, def := range t.Definitions() {
			_ = put(def) // the snapshot has it, so its name is free
		}
	})
	return catalog.NewTenants(own)
}
