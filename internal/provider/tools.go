package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/helve-dev/helve/tool"
)

// definition is a tool's definition to be written, with schemas that are valid JSON, or
// nil.
type definition struct {
	*tool.Definition
	parameters, result []byte
}

// Tools writes definitions exactly as the tools of a request in the format, in their
// order: a JSON array, which callers share and must not change. The definitions must
// not be changed afterwards either: recent results are cached.
//
// It fails only for a definition whose schema is not JSON.
func (f Format) Tools(defs []*tool.Definition) (json.RawMessage, error) {
	if text, ok := recent.find(f, defs); ok {
		return text, nil
	}
	text, err := f.write(defs)
	if err == nil && len(defs) > 0 {
		recent.add(f, defs, text)
	}
	return text, err
}

// write is Tools without the cache.
func (f Format) write(defs []*tool.Definition) (json.RawMessage, error) {
	d, err := f.dialect()
	if err != nil {
		return nil, err
	}
	if len(defs) == 0 {
		return json.RawMessage("[]"), nil
	}
	size := 0
	for _, def := range defs {
		size += len(def.Parameters) + len(def.Description) + 192
		if f == MCP {
			size += len(def.ResultSchema)
		}
	}
	w := append(make([]byte, 0, size), d.open...)
	for i, def := range defs {
		if i > 0 {
			w = append(w, ',')
		}
		out := definition{def, trimmed(def.Parameters), nil}
		if f == MCP {
			out.result = trimmed(def.ResultSchema)
		}
		for _, schema := range [][]byte{out.parameters, out.result} {
			if schema == nil {
				continue
			}
			if err := check(schema); err != nil {
				return nil, fmt.Errorf("tool %q has a schema that is not JSON: %w", def.Name, err)
			}
		}
		w = d.define(w, &out)
	}
	return slices.Clip(append(w, d.end...)), nil
}

// maxRecent is the number of cached lists: those of a few agents in a few formats. A
// hundred tools are about 70 KB.
const maxRecent = 32

// recent caches recent results, newest first. A list in it is immutable, so reading is
// one load.
var recent memory

type memory struct{ lists atomic.Pointer[[]list] }

type list struct {
	format Format
	defs   []*tool.Definition
	text   json.RawMessage
}

func (m *memory) find(f Format, defs []*tool.Definition) (json.RawMessage, bool) {
	lists := m.lists.Load()
	if lists == nil {
		return nil, false
	}
	for _, l := range *lists {
		if l.format == f && slices.EqualFunc(l.defs, defs, same) {
			return l.text, true
		}
	}
	return nil, false
}

// add removes the oldest list if there are too many. Of two concurrent additions one
// may be lost, which only costs writing it again.
func (m *memory) add(f Format, defs []*tool.Definition, text json.RawMessage) {
	lists := []list{{f, slices.Clone(defs), text}}
	if old := m.lists.Load(); old != nil {
		lists = append(lists, (*old)[:min(len(*old), maxRecent-1)]...)
	}
	m.lists.Store(&lists)
}

// same reports whether two definitions are written the same. A catalogue returns copies
// of some, so comparing pointers is not enough.
func same(a, b *tool.Definition) bool {
	return a == b || a.Name == b.Name && a.Description == b.Description &&
		a.Mutates == b.Mutates && a.Destructive == b.Destructive && a.Idempotent == b.Idempotent && a.OpenWorld == b.OpenWorld &&
		bytes.Equal(a.Parameters, b.Parameters) && bytes.Equal(a.ResultSchema, b.ResultSchema)
}
