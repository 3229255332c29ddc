package remote

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/helve-dev/helve/internal/bus/natsio"
)

// store writes the definitions that are new, or whose names no other instance holds.
func (r *Registrar) store(ctx context.Context, tenant, id string, defs []definition) error {
	for try := 1; ; try++ {
		t, err := r.load(ctx, tenant)
		if err != nil {
			return err
		}
		if t.instances[id] == nil && len(t.instances) >= maxInstances {
			return refuse(Conflict, "the tenant has %d instances, which is all it may have; unregister some", len(t.instances))
		}
		if err := t.free(id, defs); err != nil {
			return err
		}
		delete(t.instances, id) // an instance may replace its own tools
		err = r.replace(ctx, tenant, t, defs)
		if err == nil || !errors.Is(err, natsio.ErrExists) || try == races {
			return err
		}
	}
}

// free refuses a definition whose name, as model providers see it, another instance
// claims for a different definition.
func (t *tenant) free(id string, defs []definition) error {
	wanted := map[string]definition{}
	for _, def := range defs {
		wanted[offered(def.Name)] = def
	}
	for other, i := range t.instances {
		for name, hash := range i.Tools {
			def, ok := wanted[offered(name)]
			if ok && other != id && (name != def.Name || hash != def.Hash) {
				return refuse(Conflict,
					"the name %s is taken: the instance %s runs %s by another definition; register the same one, stop that instance, "+
						"or choose another name",
					def.Name, other, name)
			}
		}
	}
	return nil
}

// contested is free after the write: it also refuses if another definition is stored by
// now.
func (t *tenant) contested(id string, defs []definition) error {
	for _, def := range defs {
		if t.tools[def.Name].Hash != def.Hash {
			return refuse(Conflict, "the name %s was taken this moment, by another definition; choose another name", def.Name)
		}
	}
	return t.free(id, defs)
}

func (r *Registrar) replace(ctx context.Context, of string, t *tenant, defs []definition) error {
	if err := r.makeRoom(ctx, of, t, defs); err != nil {
		return err
	}
	for _, def := range defs {
		old, ok := t.tools[def.Name]
		if ok && old.Hash == def.Hash {
			continue
		}
		value, err := json.Marshal(known{def.Definition, def.Hash})
		if err != nil {
			return err
		}
		key := keyOf(of, kindTool, def.Name)
		if !ok {
			if err := r.bucket.Create(ctx, key, value); err != nil {
				return err
			}
			continue
		}
		before, err := r.bucket.Get(ctx, key)
		if err != nil {
			return err
		}
		var is known
		if json.Unmarshal(before, &is) != nil || is.Hash != old.Hash {
			return natsio.ErrExists // changed concurrently; read again
		}
		if err := r.bucket.Replace(ctx, key, before, value); err != nil {
			return err
		}
	}
	return nil
}

// makeRoom removes tools without instances: those whose names conflict with new ones,
// and all of them if there are too many.
func (r *Registrar) makeRoom(ctx context.Context, of string, t *tenant, defs []definition) error {
	wanted, more := map[string]string{}, 0
	for _, def := range defs {
		wanted[offered(def.Name)] = def.Name
		if _, ok := t.tools[def.Name]; !ok {
			more++
		}
	}
	full := len(t.tools)+more > maxKnown
	for name := range t.tools {
		heir := wanted[offered(name)]
		if heir == name || len(t.holders(name)) > 0 || heir == "" && !full {
			continue
		}
		if err := r.bucket.Forget(ctx, keyOf(of, kindTool, name)); err != nil {
			return err
		}
		delete(t.tools, name)
	}
	if len(t.tools)+more > maxKnown {
		return refuse(Conflict, "the tenant would have more than %d tools that run in processes outside; unregister some", maxKnown)
	}
	return nil
}
