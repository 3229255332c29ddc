package policy

import (
	"path/filepath"

	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Origins returns the ways by which a call can reach the gate.
func Origins() []Origin { return []Origin{Direct, UseTool, Batch, JavaScript, MCP, Schedule, Program} }

// Message returns the explanation of a decision about in, as operators receive it.
func (e Explanation) Message(in Input) protocol.PolicyExplanation {
	d := e.Decision
	m := protocol.PolicyExplanation{
		Outcome: string(d.Outcome), Reason: d.Reason, Rule: d.Rule, At: e.At, Strong: d.Strong, TTLSeconds: d.TTL.Seconds(),
		Narrow: append([]tool.Scopes{}, d.Narrow...), Tool: in.Tool.Name, Risk: in.Tool.Risk, Mutates: in.Mutates,
		Table: protocol.PolicyTable{Outcome: string(e.Table.Outcome), Rule: e.Table.Rule}, Rules: []protocol.PolicyReason{},
	}
	for _, r := range e.Rules {
		m.Rules = append(m.Rules, protocol.PolicyReason(r))
	}
	return m
}

// Describe returns the rules in force, with the names of their files without directories.
func (p *Policy) Describe() protocol.PolicyInForce {
	set := p.inForce.Load()
	d := protocol.PolicyInForce{
		Profile: string(p.opts.Profile), Tenants: map[string]string{}, SHA256: set.sum, Files: []string{}, Rules: []protocol.PolicyRule{},
	}
	if d.Profile == "" {
		d.Profile = string(Standard)
	}
	for tenant, profile := range p.opts.Tenants {
		d.Tenants[tenant] = string(profile)
	}
	for _, path := range set.files {
		d.Files = append(d.Files, filepath.Base(path))
	}
	for _, r := range set.rules {
		at := r.policy.Position()
		at.Filename = filepath.Base(at.Filename)
		d.Rules = append(d.Rules, protocol.PolicyRule{
			Rule:   r.id,
			At:     where(at),
			Effect: r.effectName(),
			Reason: r.reason,
			Text:   string(r.policy.MarshalCedar()),
		})
	}
	return d
}
