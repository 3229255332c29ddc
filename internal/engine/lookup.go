package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/helve-dev/helve/internal/schema"
	"github.com/helve-dev/helve/tool"
)

// lookup finds the tool and gives the call its real name, so that everything
// after it judges, counts and logs that one. A tool that is only a way to another
// is left behind here: the call becomes one of the other.
func (e *Engine) lookup(ctx context.Context, j *Job) error {
	if err := e.find(j); err != nil {
		if j.Inner {
			err = e.suggest(j, err)
		}
		return err
	}
	if !j.entry.Tool.Delegates() {
		return nil
	}
	if err := e.pass(ctx, j); err != nil {
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

// suggest adds to the refusal of a name which ones there are that are like it:
// whoever calls by way of another tool may never have seen the list. One that came by
// a tool which delegates is also told what the nearest takes.
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

// helpFor is what a tool takes, for a call that meant it perhaps; "" for one that runs
// elsewhere, and for a call whose caller did not ask by way of another tool.
func (e *Engine) helpFor(j *Job, name string) string {
	entry, err := e.deps.Catalog.Lookup(j.Tenant, name)
	if j.way == nil || err != nil || entry == nil {
		return ""
	}
	return takes(entry.Tool)
}

// takes is what a tool takes, for the end of a message.
func takes(t *tool.Tool) string {
	return fmt.Sprintf("\nParameters of '%s':\n%s", t.Name, strings.TrimSpace(tool.ParameterHelp(t.Parameters)))
}

func (e *Engine) find(j *Job) error {
	entry, err := e.deps.Catalog.Lookup(j.Tenant, j.Name)
	if err != nil {
		return err
	}
	j.entry = entry
	j.Tool = entry.Tool.Name
	return nil
}

// pass replaces the call by the one it stands for. The agent must have both.
func (e *Engine) pass(ctx context.Context, j *Job) error {
	if err := e.allow(ctx, j); err != nil {
		return err
	}
	j.SentHash() // of the call as it came
	if err := e.prepareWay(ctx, j); err != nil {
		return err
	}
	name, args, err := j.entry.Tool.Target(j.prepared)
	if err != nil {
		return err
	}
	j.way, j.Origin, j.Name, j.Args = j.entry, j.entry.Tool.Name, name, args
	j.hash, j.prepared = "", nil
	return nil
}

// prepareWay is prepare for a call by way of another tool. The arguments of the other
// one lie within its own, and models write those as a string here too.
func (e *Engine) prepareWay(ctx context.Context, j *Job) error {
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
