package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/helve-dev/helve/tool"
)

// Catalog stores definitions by name. Its methods are safe for concurrent use; readers
// never block.
type Catalog struct {
	write sync.Mutex // orders writers
	now   atomic.Pointer[snapshot]
}

// snapshot is immutable once it is stored in Catalog.now.
type snapshot struct {
	sorted []*tool.Definition          // by name
	byName map[string]*tool.Definition // by name and alias
	// owner maps each name and alias, in the form of model providers, to the name of
	// its tool.
	owner map[string]string
	// index is built by the first search.
	index func() *index
}

// New returns an empty catalog.
func New() *Catalog {
	c := &Catalog{}
	c.now.Store((&snapshot{byName: map[string]*tool.Definition{}, owner: map[string]string{}}).indexed())
	return c
}

// Put adds definitions, or replaces those of the same name: all of them or, if one is
// refused, none. It refuses an invalid name, and a name or alias that another tool
// already has once dots are written as underscores: model providers forbid dots, so the
// two could not be distinguished.
//
// The definitions are stored without copying; the caller must not change the contents
// of their slices afterwards.
func (c *Catalog) Put(defs ...tool.Definition) error {
	return c.update(func(s *snapshot) error {
		var errs []error
		for _, def := range defs {
			errs = append(errs, s.put(def))
		}
		return errors.Join(errs...)
	})
}

// Remove removes the tool with that name. An unknown name is not an error.
func (c *Catalog) Remove(name string) {
	_ = c.update(func(s *snapshot) error {
		s.remove(name)
		return nil
	})
}

// Edit makes several changes at the cost of one: each change of its own copies the list of
// all tools. Put is as [Catalog.Put] of one definition, and leaves out a refused one.
func (c *Catalog) Edit(edit func(put func(tool.Definition) error, remove func(name string))) {
	_ = c.update(func(s *snapshot) error {
		edit(s.put, s.remove)
		return nil
	})
}

// Lookup returns the definition with that name or alias. It must not be changed.
func (c *Catalog) Lookup(name string) (*tool.Definition, bool) {
	def, ok := c.now.Load().byName[name]
	return def, ok
}

// Taken reports whether a tool has the name, or a name that model providers could not
// distinguish from it.
func (c *Catalog) Taken(name string) bool {
	_, taken := c.now.Load().owner[providerName(name)]
	return taken
}

// offered returns the tool that a model means by a name.
func (c *Catalog) offered(name string) (owner string, ok bool) {
	owner, ok = c.now.Load().owner[providerName(name)]
	return owner, ok
}

func (c *Catalog) index() *index { return c.now.Load().index() }

// All returns every definition, disabled ones included, sorted by name. Neither the
// slice nor its contents may be changed.
func (c *Catalog) All() []*tool.Definition { return c.now.Load().sorted }

// update stores a changed copy of the snapshot unless change fails.
func (c *Catalog) update(change func(*snapshot) error) error {
	c.write.Lock()
	defer c.write.Unlock()
	next := c.now.Load().clone()
	if err := change(next); err != nil {
		return err
	}
	c.now.Store(next)
	return nil
}

// clone returns a copy of s that can be changed.
func (s *snapshot) clone() *snapshot {
	next := &snapshot{
		sorted: slices.Clone(s.sorted),
		byName: maps.Clone(s.byName),
		owner:  maps.Clone(s.owner),
	}
	return next.indexed()
}

// indexed makes the first search build the index.
func (s *snapshot) indexed() *snapshot {
	s.index = sync.OnceValue(func() *index { return newIndex(s.sorted) })
	return s
}

func (s *snapshot) put(def tool.Definition) error {
	for _, name := range names(&def) {
		if !tool.ValidName(name) {
			return fmt.Errorf(
				"tool %q: %q is not a valid tool name: use letters, digits, underscores and dots, beginning with a letter, at most %d bytes", def.Name,
				name, tool.MaxNameLength,
			)
		}
		if owner, taken := s.owner[providerName(name)]; taken && owner != def.Name {
			return fmt.Errorf("tool %q: the name %q is taken by tool %q: names must differ in more than dots and underscores", def.Name, name, owner)
		}
	}
	s.remove(def.Name)
	entry := withoutNil(def)
	for _, name := range names(entry) {
		s.owner[providerName(name)] = def.Name
		s.byName[name] = entry
	}
	i, _ := slices.BinarySearchFunc(s.sorted, def.Name, byName)
	s.sorted = slices.Insert(s.sorted, i, entry)
	return nil
}

func (s *snapshot) remove(name string) {
	i, found := slices.BinarySearchFunc(s.sorted, name, byName)
	if !found {
		return
	}
	for _, n := range names(s.sorted[i]) {
		delete(s.owner, providerName(n))
		delete(s.byName, n)
	}
	s.sorted = slices.Delete(s.sorted, i, i+1)
}

func byName(def *tool.Definition, name string) int { return cmp.Compare(def.Name, name) }

// names returns the names and aliases of the tool, its own name first.
func names(def *tool.Definition) []string {
	return append([]string{def.Name}, def.Aliases...)
}

// providerName returns a name in the form of OpenAI and Anthropic, which forbid dots.
func providerName(name string) string { return strings.ReplaceAll(name, ".", "_") }

// withoutNil returns a copy in which lists that callers expect are empty rather than
// null.
func withoutNil(def tool.Definition) *tool.Definition {
	for _, list := range []*[]string{&def.Scopes.Paths, &def.Scopes.Hosts, &def.Scopes.Apps, &def.RequiredPermissions, &def.Tags} {
		if *list == nil {
			*list = []string{}
		}
	}
	return &def
}
