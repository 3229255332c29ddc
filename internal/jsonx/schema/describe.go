package schema

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/xeipuuv/gojsonschema"
)

// finding is one error of the library, in a form that can be sorted.
type finding struct {
	absent bool
	path   path
	text   string
}

// describe converts the library's errors into sentences: missing parameters first, then by
// place in the arguments. The order does not depend on the library's, which follows Go's
// maps. A wrapper such as allOf is left out if another error is more specific.
func describe(errs []gojsonschema.ResultError, v any) []string {
	var found, wrappers []finding
	for _, e := range errs {
		f := finding{path: pathTo(e.Context(), v)}
		switch e.Type() {
		case "required", "missing_dependency":
			name, _ := e.Details()["property"].(string)
			if e.Type() == "missing_dependency" {
				name, _ = e.Details()["dependency"].(string)
			}
			f.absent = true
			f.path = append(slices.Clone(f.path), step{name: name})
		default:
			f.text = constraint(e)
		}
		switch e.Type() {
		case "number_all_of", "condition_then", "condition_else":
			wrappers = append(wrappers, f)
		default:
			found = append(found, f)
		}
	}
	if len(found) == 0 {
		found = wrappers
	}
	slices.SortFunc(found, func(a, b finding) int {
		return cmp.Or(-cmp.Compare(b2i(a.absent), b2i(b.absent)), a.path.compare(b.path), cmp.Compare(a.text, b.text))
	})
	texts := make([]string, len(found))
	for i, f := range found {
		texts[i] = f.String()
	}
	return slices.Compact(texts)
}

// String returns the sentence for the finding.
func (f finding) String() string {
	switch where := f.path.String(); {
	case f.absent:
		return missing(where)
	case where == "":
		return "arguments: " + f.text
	default:
		return where + ": " + f.text
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// step is one name or list index on the way to a value.
type step struct {
	name  string
	index int
	list  bool
}

type path []step

// separator joins the names of a library context. It is long, so that no name contains it
// by accident; if a name does, only the message suffers.
const separator = "\x00\x1f/\x1f\x00"

// pathTo reads the library's context along the value itself, because the context does not
// distinguish a list index from a name made of digits.
func pathTo(context *gojsonschema.JsonContext, v any) path {
	names := strings.Split(context.String(separator), separator)
	var p path
	for _, name := range names[1:] {
		s := step{name: name}
		switch in := v.(type) {
		case []any:
			if i, err := strconv.Atoi(name); err == nil && i < len(in) {
				s, v = step{index: i, list: true}, in[i]
			}
		case map[string]any:
			v = in[name]
		}
		p = append(p, s)
	}
	return p
}

func (p path) compare(q path) int {
	return slices.CompareFunc(p, q, func(a, b step) int {
		return cmp.Or(cmp.Compare(a.index, b.index), cmp.Compare(a.name, b.name))
	})
}

// String returns a path such as items[2].name. Ambiguous names are quoted, long names are
// cut, and of a very long path only the end is shown.
func (p path) String() string {
	const longest = 8
	var b strings.Builder
	if len(p) > longest {
		b.WriteString("…")
		p = p[len(p)-longest:]
	}
	for i, s := range p {
		switch {
		case s.list:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		case !simple(s.name):
			b.WriteString("[" + strconv.Quote(clip(s.name)) + "]")
		default:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(clip(s.name))
		}
	}
	return b.String()
}

// simple reports whether a name needs no quotes in a path.
func simple(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(c rune) bool {
		return c != '_' && c != '-' && c != '$' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
	})
}

// pointerPath returns a JSON pointer in the same notation.
func pointerPath(pointer jsontext.Pointer) string {
	var p path
	for name := range pointer.Tokens() {
		s := step{name: name}
		if i, err := strconv.Atoi(name); err == nil {
			s = step{index: i, list: true}
		}
		p = append(p, s)
	}
	return p.String()
}
