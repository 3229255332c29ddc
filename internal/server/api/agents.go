package api

import (
	"context"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/protocol"
)

func (s *Service) listAgents(ctx context.Context, in Input) (Reply, error) {
	records, err := s.Agents.List(ctx, in.Tenant)
	if err != nil {
		return Reply{}, err
	}
	return answer(protocol.AgentList{Agents: array(records)})
}

func (s *Service) getAgent(ctx context.Context, in Input) (Reply, error) {
	name, err := agentOf(in)
	if err != nil {
		return Reply{}, err
	}
	record, found, err := s.Agents.Get(ctx, in.Tenant, name)
	if err != nil {
		return Reply{}, err
	}
	if !found {
		return Reply{}, noRecord(name)
	}
	return answer(record)
}

// putAgent takes the record from the body and the agent's name from the parameters; a
// name in the body is ignored.
func (s *Service) putAgent(ctx context.Context, in Input) (Reply, error) {
	name, err := agentOf(in)
	if err != nil {
		return Reply{}, err
	}
	var rules protocol.AgentRules
	if err := jsonv2.Unmarshal(in.Body, &rules); err != nil {
		return Reply{}, BadRequest(`the body must be a JSON object like {"tools": ["read_*"], "groups": [], "deny": []}: %v`, err)
	}
	if err := catalog.CheckRules(rules); err != nil {
		return Reply{}, BadRequest("%v", err)
	}
	record := rules.Normal().Of(name)
	if err := s.Agents.Put(ctx, in.Tenant, record); err != nil {
		return Reply{}, err
	}
	return answer(record)
}

func (s *Service) deleteAgent(ctx context.Context, in Input) (Reply, error) {
	name, err := agentOf(in)
	if err != nil {
		return Reply{}, err
	}
	found, err := s.Agents.Delete(ctx, in.Tenant, name)
	if err != nil {
		return Reply{}, err
	}
	if !found {
		return Reply{}, noRecord(name)
	}
	return answer(struct{}{})
}

func agentOf(in Input) (string, error) {
	name := in.Params["agent"]
	if !validName(name, maxName) {
		return "", badName("agent", name, maxName)
	}
	return name, nil
}

func noRecord(agent string) error {
	return NotFound("agent %q has no record: it has the default set, the tools of all enabled groups", agent)
}
