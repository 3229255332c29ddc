package toolbox

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/toolbox/upstream/approvals"
	"github.com/helve-dev/helve/tool"
)

// snapshot holds the tools of every tenant at one moment. It is never changed.
type snapshot struct {
	byName  map[string]*engine.Entry
	offered map[string]bool // every name as model providers see it
}

// sources are the tools that are added to the built-in ones, and change.
type sources struct {
	provided []Provider
	files    []*tool.Tool            // of the tools directories
	served   map[string][]*tool.Tool // of MCP servers and API documents, by part
}

// Replace replaces the tools of the directories. Such a tool may replace a built-in one of
// its name: that was decided when it was loaded. It returns the tools that cannot be
// offered, by name.
func (t *Toolbox) Replace(files []*tool.Tool) (refused map[string]error, err error) {
	return t.change(func(s *sources) { s.files = files })
}

// Serve replaces the tools that a part has from elsewhere, as Replace does. None of them
// replaces another tool.
func (t *Toolbox) Serve(part string, served []*tool.Tool) (refused map[string]error, err error) {
	return t.change(func(s *sources) {
		s.served = maps.Clone(s.served)
		if s.served == nil {
			s.served = map[string][]*tool.Tool{}
		}
		s.served[part] = served
	})
}

// change changes the sources, and makes their snapshot the current one.
func (t *Toolbox) change(change func(*sources)) (refused map[string]error, err error) {
	t.changing.Lock()
	defer t.changing.Unlock()
	next := t.sources
	change(&next)
	s, refused, err := t.arrange(next)
	if err == nil {
		t.sources = next
		t.use(s)
	}
	return refused, err
}

// use makes next the current snapshot, and returns the one before.
func (t *Toolbox) use(next *snapshot) (before *snapshot) {
	before = t.now.Swap(next)
	select {
	case t.changed <- struct{}{}:
	default:
	}
	return before
}

// arrange returns a snapshot of the built-in tools and the sources, and the tools that
// cannot be offered, by name.
func (t *Toolbox) arrange(from sources) (next *snapshot, refused map[string]error, err error) {
	next = &snapshot{byName: maps.Clone(t.built)}
	offered := catalog.New()
	if err := offered.Put(next.definitions()...); err != nil {
		return nil, nil, err
	}
	var all []*tool.Tool
	for _, p := range from.provided {
		all = append(all, p.bound()...)
	}
	all = append(all, from.files...)
	for _, part := range slices.Sorted(maps.Keys(from.served)) {
		all = append(all, from.served[part]...)
	}
	refused = map[string]error{}
	offered.Edit(func(put func(tool.Definition) error, _ func(string)) {
		for _, tl := range all {
			if err := t.add(next, tl, put); err != nil {
				refused[tl.Name] = err
			}
		}
	})
	next.offered = make(map[string]bool, len(next.byName))
	for name := range next.byName {
		next.offered[offeredAs(name)] = true
	}
	return next, refused, nil
}

// add adds a tool of a source to a snapshot. Put refuses a name that model providers could
// not distinguish from another one.
func (t *Toolbox) add(next *snapshot, tl *tool.Tool, put func(tool.Definition) error) error {
	entry, err := t.again(tl)
	if err == nil && approvals.Needed(tl.Kind) && next.byName[tl.Name] != nil {
		err = fmt.Errorf("the name %s is taken by another tool", tl.Name)
	}
	if err != nil || entry == nil {
		return err
	}
	if err := put(tl.Definition); err != nil {
		return err
	}
	for _, name := range Names(tl) {
		next.byName[name] = entry
	}
	return nil
}

// again returns the entry that the current snapshot has of a tool, or prepares the tool.
func (t *Toolbox) again(tl *tool.Tool) (*engine.Entry, error) {
	if now := t.now.Load(); now != nil {
		if entry := now.byName[tl.Name]; entry != nil && entry.Tool == tl {
			return entry, nil
		}
	}
	return t.entry(tl)
}

// definitions returns the definitions of the snapshot's tools by name.
func (s *snapshot) definitions() []tool.Definition {
	var defs []tool.Definition
	for name, e := range s.byName {
		if name == e.Tool.Name {
			defs = append(defs, e.Tool.Definition)
		}
	}
	slices.SortFunc(defs, func(a, b tool.Definition) int { return cmp.Compare(a.Name, b.Name) })
	return defs
}
