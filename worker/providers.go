package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/helve-dev/helve/internal/directory"
	"github.com/helve-dev/helve/tool"
)

// Provider is tools that come and go together.
type Provider struct {
	// Name tells it from others on this worker.
	Name  string
	Tools []*tool.Tool
	// For, where set, are the calls its tools are bound to: for others they are not
	// available, and agents that cannot have them are not shown them.
	For *tool.Contexts
}

// bound are the provider's tools, bound to its contexts.
func (p Provider) bound() []*tool.Tool {
	if p.For == nil {
		return p.Tools
	}
	tools := make([]*tool.Tool, len(p.Tools))
	for i, tl := range p.Tools {
		copied := *tl
		copied.BoundTo = p.For
		tools[i] = &copied
	}
	return tools
}

// Providers adds and removes tools while the worker runs. Calls that run finish on
// the tools they began with.
type Providers struct{ w *Worker }

// Add offers the tools of a provider, all of them or none. It refuses a name that
// another provider has, and tools that the platform would refuse or whose names are
// taken. When it returns, this worker runs them and dispatchers are being told.
func (p *Providers) Add(ctx context.Context, provider Provider) error {
	t := p.w.tools
	t.changing.Lock()
	defer t.changing.Unlock()
	if provider.Name == "" || slices.ContainsFunc(t.provided, func(other Provider) bool { return other.Name == provider.Name }) {
		return fmt.Errorf("provider %q: it needs a name that no other provider has", provider.Name)
	}
	for _, tl := range provider.Tools {
		for _, name := range names(tl) {
			if t.taken(name) {
				return fmt.Errorf("provider %s: the name %s is taken by another tool", provider.Name, name)
			}
		}
	}
	next := append(slices.Clone(t.provided), provider)
	refused, err := t.shelve(next, t.files)
	for _, tl := range provider.Tools {
		if why := refused[tl.Name]; why != nil {
			err = errors.Join(err, why)
		}
	}
	if err == nil {
		err = directory.Register(ctx, p.w.bus, t.definitions())
	}
	if err != nil {
		_, undo := t.shelve(t.provided, t.files)
		undo = errors.Join(undo, directory.Unregister(context.WithoutCancel(ctx), p.w.bus, gone(definitionsOf(provider), nil, t)))
		return fmt.Errorf("provider %s: %w", provider.Name, errors.Join(err, undo))
	}
	t.provided = next
	return nil
}

// Remove takes a provider away with all its tools, and returns how many those were;
// none for a name that nobody has.
func (p *Providers) Remove(ctx context.Context, name string) (int, error) {
	t := p.w.tools
	t.changing.Lock()
	defer t.changing.Unlock()
	i := slices.IndexFunc(t.provided, func(other Provider) bool { return other.Name == name })
	if i < 0 {
		return 0, nil
	}
	old := t.provided[i]
	next := slices.Delete(slices.Clone(t.provided), i, i+1)
	if _, err := t.shelve(next, t.files); err != nil {
		return 0, err
	}
	t.provided = next
	return len(old.Tools), directory.Unregister(ctx, p.w.bus, gone(definitionsOf(old), nil, t))
}

func definitionsOf(p Provider) []tool.Definition {
	var defs []tool.Definition
	for _, tl := range p.bound() {
		defs = append(defs, tl.Definition)
	}
	return defs
}
