package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

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

// kept is p with lists that nobody else can change.
func (p Provider) kept() Provider {
	p.Tools = slices.Clone(p.Tools)
	if p.For != nil {
		p.For = &tool.Contexts{Tenants: slices.Clone(p.For.Tenants), Agents: slices.Clone(p.For.Agents), Conversations: slices.Clone(p.For.Conversations)}
	}
	return p
}

// Providers adds and removes tools while the worker runs. Calls that run finish on
// the tools they began with. A call goes to any worker of its pool, so every one of
// them must have the same providers; where one is removed, its tools are no longer
// listed, whoever else has them.
type Providers struct{ w *Worker }

// Add offers the tools of a provider, all of them or none; those of pools that are not
// this worker's are left to others. It refuses a name that another provider has, and
// tools that the platform would refuse or whose names are taken. When it returns,
// this worker runs them and dispatchers are being told.
func (p *Providers) Add(ctx context.Context, provider Provider) error {
	t, provider := p.w.tools, provider.kept()
	t.changing.Lock()
	defer t.changing.Unlock()
	if provider.Name == "" || slices.ContainsFunc(t.provided, func(other Provider) bool { return other.Name == provider.Name }) {
		return fmt.Errorf("provider %q: it needs a name that no other provider has", provider.Name)
	}
	if err := t.free(provider); err != nil {
		return fmt.Errorf("provider %s: %w", provider.Name, err)
	}
	next := append(slices.Clone(t.provided), provider)
	shelf, refused, err := t.arrange(next, t.files, t.served)
	for _, tl := range provider.Tools {
		if why := refused[tl.Name]; why != nil {
			err = errors.Join(err, why)
		}
	}
	if err != nil {
		return fmt.Errorf("provider %s: %w", provider.Name, err)
	}
	before := t.now.Swap(shelf)
	if err := directory.Register(ctx, p.w.bus, t.definitions()); err != nil {
		t.now.Store(before)
		undo := directory.Unregister(context.WithoutCancel(ctx), p.w.bus, gone(definitionsOf(provider), nil, t))
		return fmt.Errorf("provider %s: %w", provider.Name, errors.Join(err, undo))
	}
	t.provided = next
	return nil
}

// free reports a name of the provider that is taken, by another tool or within it:
// names that model providers cannot tell apart are one.
func (t *toolbox) free(p Provider) error {
	own := map[string]bool{}
	for _, tl := range p.Tools {
		if tl == nil {
			return errors.New("one of its tools is nil")
		}
		for _, name := range names(tl) {
			offered := strings.ReplaceAll(name, ".", "_")
			if own[offered] || t.taken(name) {
				return fmt.Errorf("the name %s is taken by another tool", name)
			}
			own[offered] = true
		}
	}
	return nil
}

// Remove takes a provider away with all its tools, and returns how many those were;
// none for a name that nobody has. One that cannot be taken from the list, because
// NATS is away, stays, and can be removed later.
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
	shelf, _, err := t.arrange(next, t.files, t.served)
	if err != nil {
		return 0, err
	}
	before := t.now.Swap(shelf)
	if err := directory.Unregister(ctx, p.w.bus, gone(definitionsOf(old), nil, t)); err != nil {
		t.now.Store(before)
		again := directory.Register(context.WithoutCancel(ctx), p.w.bus, t.definitions())
		return 0, fmt.Errorf("provider %s: it stays, try again: %w", name, errors.Join(err, again))
	}
	t.provided = next
	return len(old.Tools), nil
}

func definitionsOf(p Provider) []tool.Definition {
	var defs []tool.Definition
	for _, tl := range p.bound() {
		defs = append(defs, tl.Definition)
	}
	return defs
}
