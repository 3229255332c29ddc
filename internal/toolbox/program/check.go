package program

import (
	"encoding/json"

	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/tool"
)

// nearest is the number of names that the error about an unknown one shows.
const nearest = 3

// check refuses code before its first step if it makes calls that can only fail, by the list of its
// calls that the sandbox made.
func (t *turn) check(uses json.RawMessage) error {
	var found []js.Use
	if err := json.Unmarshal(uses, &found); err != nil {
		return tool.Fail(tool.ExecutionError, "the sandbox found what is no list of calls").Because(err)
	}
	if refused := js.Check(found, func(name string) js.Verdict { return t.judge(name, t.tools) }); refused != nil {
		return refused
	}
	return nil
}

func (r *runner) judge(name string, allowed []string) js.Verdict {
	def, ok := r.catalogue.Lookup(name)
	if !ok {
		return js.Verdict{Near: r.catalogue.Near(name, nearest)}
	}
	v := Judge(def)
	v.Allowed = durable.Covers(allowed, name)
	return v
}

// Judge returns what is known about the calls of a tool in the code of a program.
func Judge(def *tool.Definition) js.Verdict {
	v := js.Verdict{Known: true, Allowed: true, Mutates: def.Mutates, Parameters: tool.ParameterSummary(def.Parameters)}
	form, err := schema.Compile(def.Parameters)
	if err != nil {
		return v
	}
	known := properties(def.Parameters)
	v.Parameter = func(key string) (bool, string) {
		if known == nil || known[key] {
			return true, ""
		}
		return false, form.Near(key)
	}
	return v
}

// properties returns the names of the parameters of a schema; nil if it allows others.
func properties(raw json.RawMessage) map[string]bool {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Additional json.RawMessage            `json:"additionalProperties"`
	}
	if json.Unmarshal(raw, &s) != nil || len(s.Additional) > 0 && string(s.Additional) != "false" {
		return nil
	}
	names := map[string]bool{}
	for name := range s.Properties {
		names[name] = true
	}
	return names
}
