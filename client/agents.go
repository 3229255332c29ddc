package client

import (
	"context"
	"net/http"

	"github.com/go-json-experiment/json"

	"github.com/helve-dev/helve/protocol"
)

type (
	// Agent is the record of an agent: the tools it may use.
	Agent = protocol.Agent
	// Group is a set of tools that is switched on and off together.
	Group = protocol.Group
)

// Agents returns the agents that have a record, by name.
func (c *Client) Agents(ctx context.Context) ([]Agent, error) {
	var told protocol.AgentList
	body, err := c.ask(ctx, list("agents.list", "/v1/agents", nil))
	if err != nil {
		return nil, err
	}
	return told.Agents, decode(body, &told)
}

// Agent returns an agent's record. An agent without a record is a [*RequestError] of
// type [NotFound].
func (c *Client) Agent(ctx context.Context, name string) (Agent, error) {
	return c.agent(ctx, "agents.get", http.MethodGet, name, nil)
}

// PutAgent creates or replaces an agent's record and returns the stored record.
func (c *Client) PutAgent(ctx context.Context, a Agent) (Agent, error) {
	body, err := json.Marshal(a)
	if err != nil {
		return Agent{}, misused("the record cannot be encoded as JSON: %v", err)
	}
	return c.agent(ctx, "agents.put", http.MethodPut, a.Name, body)
}

// DeleteAgent removes an agent's record; the agent then has the default tools. An agent
// without a record is a [*RequestError] of type [NotFound].
func (c *Client) DeleteAgent(ctx context.Context, name string) error {
	_, err := c.agent(ctx, "agents.delete", http.MethodDelete, name, nil)
	return err
}

func (c *Client) agent(ctx context.Context, op, method, name string, body []byte) (Agent, error) {
	if !namePattern.MatchString(name) {
		return Agent{}, misused("agent %.80q must have 1 to 64 letters, digits, underscores and hyphens", name)
	}
	got, err := c.ask(ctx, operation{
		name: op, fields: map[string]string{"agent": name},
		method: method, path: "/v1/agents/" + name, body: body,
	})
	if err != nil || method == http.MethodDelete {
		return Agent{}, err
	}
	var a Agent
	return a, decode(got, &a)
}

// Groups returns the groups of tools, sorted by name.
func (c *Client) Groups(ctx context.Context) ([]Group, error) {
	var told protocol.GroupList
	body, err := c.ask(ctx, list("groups.list", "/v1/groups", nil))
	if err != nil {
		return nil, err
	}
	return told.Groups, decode(body, &told)
}
