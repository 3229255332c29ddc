package engine

import (
	"bytes"
	"maps"
	"strings"
	"sync"

	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// resultProblem is the member of a result's metadata with the way in which the result breaks
// the tool's own result schema. MCP clients refuse such a result, so they must be told.
const resultProblem = "result_problem"

// shape is the schema of a tool's results, which is compiled for the first of them.
type shape struct {
	once   sync.Once
	schema *schema.Schema // nil if there is none to check
}

// of returns the schema of the results of a tool. The results of tools in Go have the shape
// of their type, from which their schema is made.
func (s *shape) of(t *tool.Tool) *schema.Schema {
	s.once.Do(func() {
		if t.Kind == tool.KindBuiltin || t.Kind == "" || len(t.ResultSchema) == 0 {
			return
		}
		if compiled, err := schema.Compile(t.ResultSchema); err == nil {
			s.schema = compiled
		}
	})
	return s.schema
}

// shaped marks a result that does not fit the tool's own result schema.
func (j *Job) shaped(res tool.Result) tool.Result {
	own := j.entry.shape.of(j.entry.Tool)
	if own == nil {
		return res
	}
	problem := "it is not an object"
	if res.Truncated {
		problem = "it was cut, and is not an object"
	}
	if bytes.HasPrefix(bytes.TrimSpace(res.Value), []byte("{")) {
		problem = strings.Join(own.Check(res.Value), "; ")
	}
	if problem == "" {
		return res
	}
	if res.Metadata = maps.Clone(res.Metadata); res.Metadata == nil {
		res.Metadata = map[string]any{}
	}
	res.Metadata[resultProblem] = textcut.Clip(strings.ToValidUTF8(problem, "�"), maxNote-80)
	return res
}
