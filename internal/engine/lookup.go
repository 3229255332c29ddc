package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/tool"
)

// lookup finds the tool and gives the call its real name, so that everything
// after it judges, counts and logs that tool. A call of a tool that delegates becomes a
// call of the other tool here.
func (e *Engine) lookup(ctx context.Context, j *Job) error {
	if err := e.kept(ctx, j); err != nil {
		return err
	}
	if err := e.find(j); err != nil {
		if j.Nested {
			err = e.suggest(j, err)
		}
		return err
	}
	if !j.entry.Tool.Delegates() {
		return nil
	}
	if err := e.delegate(ctx, j); err != nil {
		return err
	}
	if err := e.find(j); err != nil {
		return e.suggest(j, err)
	}
	if j.entry.Tool.Delegates() {
		return tool.Fail(tool.ValidationError, "'%s' cannot be called by way of another tool; call it directly", j.Name)
	}
	return nil
}

// suggest adds similar names to the refusal of an unknown one: the caller of a tool that
// delegates may never have seen the list. Such a call also gets the parameters of the
// nearest tool.
func (e *Engine) suggest(j *Job, err error) error {
	failure, ok := errors.AsType[*tool.Error](err)
	if !ok || failure.Kind != tool.ToolNotFound || e.deps.Near == nil {
		return err
	}
	said := "search_tools finds tools by what they do"
	if near := e.deps.Near(j, j.Name); len(near) > 0 {
		said = "the nearest are " + strings.Join(near, ", ") + e.helpFor(j, near[0])
	}
	return tool.Fail(failure.Kind, "%s; %s", failure.Msg, said).Because(failure.Cause)
}

// helpFor returns the parameters of a tool, for a call that perhaps meant it; empty for a
// tool that runs elsewhere, and for a call that did not come by way of another tool.
func (e *Engine) helpFor(j *Job, name string) string {
	entry, err := e.deps.Catalog.Lookup(j.Tenant, j.User, name)
	if j.delegator == nil || err != nil || entry == nil {
		return ""
	}
	return takes(entry.Tool)
}

// longestHelp bounds the help on parameters in a message, in bytes.
const longestHelp = 600

// takes returns the parameters of a tool, for the end of a message: their help, or just
// their names and types where the help is too long.
func takes(t *tool.Tool) string {
	help := strings.TrimSpace(tool.ParameterHelp(t.Parameters))
	if len(help) > longestHelp {
		help = strings.TrimPrefix(tool.ParameterSummary(t.Parameters), "parameters: ")
	}
	return fmt.Sprintf("\nParameters of '%s':\n%s", t.Name, help)
}

func (e *Engine) find(j *Job) error {
	if j.kept != nil && j.kept.Tool.Name == j.Name {
		j.entry, j.Tool = j.kept, j.Name
		return nil
	}
	entry, err := e.deps.Catalog.Lookup(j.Tenant, j.User, j.Name)
	if errors.Is(err, ErrLacking) && j.Nested { // the call stays on the worker of its outer call
		return tool.Fail(tool.ToolNotAvailable,
			"'%s' runs on other workers of its pool, and a call that another one makes stays on its worker; call it by itself", j.Name)
	}
	if err != nil {
		return err
	}
	j.entry = entry
	j.Tool = entry.Tool.Name
	return nil
}

// delegate replaces the call by the call that it stands for. The agent must have both
// tools.
func (e *Engine) delegate(ctx context.Context, j *Job) error {
	if err := e.available(ctx, j); err != nil {
		return err
	}
	j.SentHash() // of the call as it came
	if err := e.prepareDelegate(ctx, j); err != nil {
		return err
	}
	name, args, err := j.entry.Tool.Target(j.prepared)
	if err != nil {
		return err
	}
	j.cameBy = j.Via
	j.delegator, j.Via, j.Name, j.Args = j.entry, j.entry.Tool.Name, name, args
	j.hash, j.prepared = "", nil
	return nil
}

// prepareDelegate prepares the arguments of a tool that delegates. The arguments of the
// other tool are within them, and models write those as a string here too.
func (e *Engine) prepareDelegate(ctx context.Context, j *Job) error {
	err := e.prepare(ctx, j)
	if err == nil {
		return nil
	}
	unfolded := unfold(j.entry.Tool.Parameters, j.Args)
	if unfolded == nil {
		return err
	}
	sent := j.Args
	j.Args = unfolded
	if err = e.prepare(ctx, j); err != nil {
		j.Args = sent
	}
	return err
}

// unfold returns the arguments with an object in place of each string that holds one
// and stands where the parameters want one; nil if there is none. Arguments that break
// a rule of the schema package stay broken: what it refused is not mended here.
func unfold(parameters, args json.RawMessage) json.RawMessage {
	var wanted struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
	}
	var members map[string]json.RawMessage
	object, err := schema.Arguments(args)
	if err != nil || json.Unmarshal(object, &members) != nil || json.Unmarshal(parameters, &wanted) != nil {
		return nil
	}
	found := false
	for name, value := range members {
		if wanted.Properties[name].Type != "object" || len(value) == 0 || value[0] != '"' {
			continue
		}
		if inside, err := schema.Arguments(value); err == nil {
			members[name], found = inside, true
		}
	}
	if !found {
		return nil
	}
	out, err := json.Marshal(members)
	if err != nil {
		return nil
	}
	return out
}
