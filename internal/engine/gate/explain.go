package gate

import (
	"cmp"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/internal/policy"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Explainer answers questions about the rules by which a worker decides.
type Explainer struct {
	Worker string // its id
	Rules  *policy.Policy
	// Lookup returns a tool that the worker runs.
	Lookup func(tenant, user, name string) (*engine.Entry, error)
	// Known returns the definition of a tool that any worker runs.
	Known func(tenant, user, name string) (*tool.Definition, bool)
}

// InForce returns the rules in force.
func (x Explainer) InForce() protocol.PolicyInForce {
	in := x.Rules.Describe()
	in.Worker = x.Worker
	return in
}

// Explain returns how the gate would decide about the call of a question.
func (x Explainer) Explain(tenant string, q *protocol.PolicyQuestion) (any, error) {
	if q == nil {
		return nil, tool.Fail(tool.ValidationError, "the request has no question")
	}
	in, err := x.input(tenant, *q)
	if err != nil {
		return nil, err
	}
	m := x.Rules.Explain(in).Message(in)
	m.Depends = len(q.Arguments) == 0 && slices.ContainsFunc(m.Rules, func(r protocol.PolicyReason) bool { return r.Error != "" })
	m.At = shortPlace(m.At)
	for i := range m.Rules {
		m.Rules[i].At = shortPlace(m.Rules[i].At)
	}
	return m, nil
}

// shortPlace returns the place of a rule without the directories of this host.
func shortPlace(at string) string {
	if at == "" {
		return ""
	}
	return filepath.Base(at)
}

// input returns the call of a question as the gate would see it.
func (x Explainer) input(tenant string, q protocol.PolicyQuestion) (policy.Input, error) {
	in := policy.Input{
		Tenant:       tenant,
		User:         q.User,
		Agent:        q.Agent,
		Conversation: q.Conversation,
		Origin:       policy.Origin(q.Origin),
		Now:          time.Now(),
	}
	if q.At != nil {
		in.Now = *q.At
	}
	if q.Origin == "" {
		in.Origin = policy.Direct
	}
	if !slices.Contains(policy.Origins(), in.Origin) {
		return in, tool.Fail(tool.ValidationError, "origin is %.40q; want one of %v", q.Origin, policy.Origins())
	}
	entry, err := x.Lookup(tenant, q.User, q.Tool)
	if entry != nil && err == nil {
		in.Tool = &entry.Tool.Definition
		if len(q.Arguments) == 0 { // of the tool, by the worst that it can do
			in.Arguments, in.Mutates = json.RawMessage("{}"), in.Tool.Mutates
			return in, nil
		}
		in.Arguments, in.Mutates, err = entry.Judged(q.Arguments)
		return in, unfit(err)
	}
	return in, x.foreignInput(&in, q, err)
}

// unfit returns the error of arguments that do not fit the schema as callers see it.
func unfit(err error) error {
	if bad, ok := errors.AsType[*schema.Invalid](err); ok {
		return tool.Fail(tool.ValidationError, "%s", cmp.Or(bad.Error(), "the arguments do not fit the tool's parameters"))
	}
	return err
}

// foreignInput completes the call of a tool that this worker does not run. Its definition is
// enough, but the call is judged by the worst that the tool can do.
func (x Explainer) foreignInput(in *policy.Input, q protocol.PolicyQuestion, lacking error) error {
	def, ok := x.Known(in.Tenant, q.User, q.Tool)
	if !ok {
		if e, is := errors.AsType[*tool.Error](lacking); is && e.Kind != tool.ToolNotFound {
			return tool.Fail(tool.ValidationError, "%s", e.Msg)
		}
		return tool.Fail(tool.NotFound, "there is no tool %.80q; tools.list has those there are", q.Tool)
	}
	in.Tool, in.Arguments, in.Mutates = def, json.RawMessage("{}"), def.Mutates
	if len(q.Arguments) == 0 {
		return nil
	}
	entry, err := engine.NewEntry(&tool.Tool{Definition: *def})
	if err != nil {
		return err
	}
	prepared, err := entry.Schema.Prepare(q.Arguments)
	in.Arguments = prepared.Args
	return unfit(err)
}
