package toolbox

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/fleet/catalogsync"
	"github.com/helve-dev/helve/tool"
)

// Provider is a list of tools that are added and removed together.
type Provider struct {
	// Name identifies it on this worker.
	Name  string
	Tools []*tool.Tool
	// For, if set, restricts the tools to calls of these contexts.
	For *tool.Contexts
}

// bound returns the provider's tools, restricted to its contexts.
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

// kept returns the provider with lists that its caller cannot change, and its tools in the
// pool home if they name none.
func (p Provider) kept(home string) Provider {
	p.Tools = slices.Clone(p.Tools)
	for i, tl := range p.Tools {
		if tl != nil && home != "" {
			p.Tools[i] = tl.In(home)
		}
	}
	if p.For != nil {
		p.For = &tool.Contexts{
			Tenants:       slices.Clone(p.For.Tenants),
			Agents:        slices.Clone(p.For.Agents),
			Conversations: slices.Clone(p.For.Conversations),
		}
	}
	return p
}

func (p Provider) definitions() []tool.Definition {
	var defs []tool.Definition
	for _, tl := range p.bound() {
		defs = append(defs, tl.Definition)
	}
	return defs
}

// Providers adds and removes tools while the worker runs, and registers their definitions.
type Providers struct {
	Tools *Toolbox
	Queue *queue.Queue
}

// Add offers the tools of a provider, all of them or none; those of other pools are left to
// other workers. It refuses a name that another provider has, and tools that the platform
// would refuse or whose names are taken.
func (p *Providers) Add(ctx context.Context, provider Provider) error {
	t := p.Tools
	provider = provider.kept(t.Pool)
	t.changing.Lock()
	defer t.changing.Unlock()
	if provider.Name == "" || slices.ContainsFunc(t.sources.provided, func(other Provider) bool { return other.Name == provider.Name }) {
		return fmt.Errorf("provider %q: it needs a name that no other provider has", provider.Name)
	}
	if err := t.free(provider); err != nil {
		return fmt.Errorf("provider %s: %w", provider.Name, err)
	}
	next := t.sources
	next.provided = append(slices.Clone(next.provided), provider)
	tools, refused, err := t.arrange(next)
	for _, tl := range provider.Tools {
		if why := refused[tl.Name]; why != nil {
			err = errors.Join(err, why)
		}
	}
	if err != nil {
		return fmt.Errorf("provider %s: %w", provider.Name, err)
	}
	before := t.use(tools)
	if err := catalogsync.Register(ctx, p.Queue, t.Definitions()); err != nil {
		t.use(before)
		undo := catalogsync.Unregister(context.WithoutCancel(ctx), p.Queue, Gone(provider.definitions(), nil, t))
		return fmt.Errorf("provider %s: %w", provider.Name, errors.Join(err, undo))
	}
	t.sources = next
	return nil
}

// free returns an error for a name of the provider that is taken, by another tool or within
// it: names that model providers cannot distinguish are the same.
func (t *Toolbox) free(p Provider) error {
	own := map[string]bool{}
	for _, tl := range p.Tools {
		if tl == nil {
			return errors.New("one of its tools is nil")
		}
		for _, name := range Names(tl) {
			offered := offeredAs(name)
			if own[offered] || t.Taken(name) {
				return fmt.Errorf("the name %s is taken by another tool", name)
			}
			own[offered] = true
		}
	}
	return nil
}

// Remove removes a provider with all its tools, and returns their number; 0 if there is no
// provider of the name. If its definitions cannot be unregistered the provider stays, and
// can be removed later.
func (p *Providers) Remove(ctx context.Context, name string) (int, error) {
	t := p.Tools
	t.changing.Lock()
	defer t.changing.Unlock()
	i := slices.IndexFunc(t.sources.provided, func(other Provider) bool { return other.Name == name })
	if i < 0 {
		return 0, nil
	}
	old, next := t.sources.provided[i], t.sources
	next.provided = slices.Delete(slices.Clone(next.provided), i, i+1)
	tools, _, err := t.arrange(next)
	if err != nil {
		return 0, err
	}
	before := t.use(tools)
	if err := catalogsync.Unregister(ctx, p.Queue, Gone(old.definitions(), nil, t)); err != nil {
		t.use(before)
		again := catalogsync.Register(context.WithoutCancel(ctx), p.Queue, t.Definitions())
		return 0, fmt.Errorf("provider %s: it stays, try again: %w", name, errors.Join(err, again))
	}
	t.sources = next
	return len(old.Tools), nil
}
