package webapi

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/theory/jsonpath"

	"github.com/helve-dev/helve/tool"
)

// selection is a JSONPath (RFC 9535).
type selection struct {
	path *jsonpath.Path
	// descents and roots count the parts whose work grows with the depth and with the size
	// of the answer.
	descents, roots int
}

// maxVisits limits the values that a path may visit. A path of a few characters, such as
// $..[?$..*], would otherwise take a processor for hours, and cannot be interrupted.
const maxVisits = 10_000_000

// newSelection returns nil for an empty path.
func newSelection(text string) (*selection, error) {
	if text == "" {
		return nil, nil
	}
	path, err := jsonpath.Parse(text)
	if err != nil {
		return nil, tool.Fail(tool.ValidationError, "select is not a JSONPath (RFC 9535): %s; an example is $.items[*].name",
			strings.TrimPrefix(err.Error(), "jsonpath: ")).Because(err)
	}
	return &selection{path, strings.Count(text, ".."), max(0, strings.Count(text, "$")-1)}, nil
}

// from returns the list of the values that the path selects.
func (s *selection) from(data json.RawMessage) (json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, tool.Fail(tool.ExecutionError, "the answer is not JSON").Because(err)
	}
	values, depth := measured(v)
	visits := float64(values)
	for range s.descents {
		visits *= float64(depth)
	}
	for range s.roots {
		visits *= float64(values)
	}
	if visits > maxVisits {
		return nil, tool.Fail(tool.ValidationError,
			"select is too much work for an answer with %d values; use fewer '..', and no '$' within a filter", values)
	}
	list := s.path.Select(v)
	if list == nil {
		list = jsonpath.NodeList{}
	}
	var w bytes.Buffer
	enc := json.NewEncoder(&w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(list); err != nil {
		return nil, tool.Fail(tool.ExecutionError, "the selected values cannot be encoded").Because(err)
	}
	if w.Len() > maxAPI {
		return nil, tool.Fail(tool.ValidationError, "select chooses more than %d MB; choose less", maxAPI>>20)
	}
	return bytes.TrimSpace(w.Bytes()), nil
}

// measured returns the number of values in v, itself included, and its depth.
func measured(v any) (values, depth int) {
	values = 1
	inner := func(v any) {
		n, d := measured(v)
		values, depth = values+n, max(depth, d)
	}
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			inner(e)
		}
	case map[string]any:
		for _, e := range v {
			inner(e)
		}
	}
	return values, depth + 1
}
