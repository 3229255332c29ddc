package worker

import (
	"cmp"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/internal/policy"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// policyOps are the requests about the rules by which this worker decides.
var policyOps = []peer.DataOp{peer.DataPolicy, peer.DataPolicyExplain}

// policy answers a request about the rules in force.
func (w *Worker) policy(r peer.DataRequest) (any, error) {
	if r.Op == peer.DataPolicy {
		in := w.rules.Describe()
		in.Worker = w.ID()
		return in, nil
	}
	if r.Policy == nil {
		return nil, tool.Fail(tool.ValidationError, "the request has no question")
	}
	in, err := w.policyInput(r.Tenant, *r.Policy)
	if err != nil {
		return nil, err
	}
	m := w.rules.Explain(in).Message(in)
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

// policyInput returns the call of a question as the gate would see it.
func (w *Worker) policyInput(tenant string, q protocol.PolicyQuestion) (policy.Input, error) {
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
	if len(q.Arguments) == 0 {
		q.Arguments = json.RawMessage("{}")
	}
	entry, err := w.tools.Lookup(tenant, q.User, q.Tool)
	if entry != nil && err == nil {
		in.Tool = &entry.Tool.Definition
		in.Arguments, in.Mutates, err = entry.Judged(q.Arguments)
		return in, unfit(err)
	}
	return in, w.foreignInput(&in, q, err)
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
func (w *Worker) foreignInput(in *policy.Input, q protocol.PolicyQuestion, lacking error) error {
	def, ok := w.catalogue.Of(in.Tenant, q.User).Lookup(q.Tool)
	if !ok {
		if e, is := errors.AsType[*tool.Error](lacking); is && e.Kind != tool.ToolNotFound {
			return tool.Fail(tool.ValidationError, "%s", e.Msg)
		}
		return tool.Fail(tool.NotFound, "there is no tool %.80q; tools.list has those there are", q.Tool)
	}
	entry, err := engine.NewEntry(&tool.Tool{Definition: *def})
	if err != nil {
		return err
	}
	prepared, err := entry.Schema.Prepare(q.Arguments)
	in.Tool, in.Arguments, in.Mutates = def, prepared.Args, def.Mutates
	return unfit(err)
}
