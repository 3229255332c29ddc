package apitools

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/helve-dev/helve/internal/lib/textcut"
)

const (
	maxParameters = 128 << 10 // bytes of a schema of parameters
	deepest       = 20        // nesting of a schema that is kept at first
	shortNote     = 120       // bytes of a description where nothing else is left to cut
)

// within encodes a schema in at most so many bytes. Parts of a larger one are cut, the deepest
// first: they accept anything, and the API decides.
func within(object map[string]any, most int) (json.RawMessage, error) {
	raw, err := encoded(object)
	for depth := deepest; err == nil && len(raw) > most && depth > 0; depth-- {
		raw, err = encoded(cutBelow(object, depth))
	}
	if err == nil && len(raw) > most {
		raw, err = encoded(withShortNotes(cutBelow(object, 1)))
	}
	if err == nil && len(raw) > most {
		err = fmt.Errorf("its parameters have %d bytes as a schema, at most %d are allowed", len(raw), most)
	}
	return raw, err
}

// cutNote is the description of a part that is cut.
const cutNote = "Its fields are not shown here; see the documentation of the API."

// cutBelow returns a schema without the schemas below a depth. No schema of package apidoc
// has keywords in which less is more.
func cutBelow(s map[string]any, depth int) map[string]any {
	out := maps.Clone(s)
	nested := false
	each := func(v any) any {
		part, ok := v.(map[string]any)
		if !ok {
			return v
		}
		nested = true
		return cutBelow(part, depth-1)
	}
	for word, v := range s {
		switch v := v.(type) {
		case map[string]any:
			if word != "properties" {
				if word == "items" || word == "additionalProperties" {
					out[word] = each(v)
				}
				continue
			}
			props := make(map[string]any, len(v))
			for name, p := range v {
				props[name] = each(p)
			}
			out[word] = props
		case []any:
			if word == "allOf" || word == "anyOf" {
				list := make([]any, len(v))
				for i, part := range v {
					list[i] = each(part)
				}
				out[word] = list
			}
		}
	}
	if !nested || depth > 0 {
		return out
	}
	out = map[string]any{}
	if kind, ok := s["type"]; ok {
		out["type"] = kind
	}
	note, _ := s["description"].(string)
	out["description"] = strings.TrimSpace(textcut.Fit(note, shortNote) + " " + cutNote)
	return out
}

// withShortNotes shortens the descriptions of the parameters, and leaves out what else they
// have.
func withShortNotes(s map[string]any) map[string]any {
	props, _ := s["properties"].(map[string]any)
	short := make(map[string]any, len(props))
	for name, v := range props {
		p, _ := v.(map[string]any)
		kept := map[string]any{}
		if kind, ok := p["type"]; ok {
			kept["type"] = kind
		}
		if note, ok := p["description"].(string); ok {
			kept["description"] = textcut.Fit(note, shortNote)
		}
		short[name] = kept
	}
	s = maps.Clone(s)
	s["properties"] = short
	return s
}
