package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/helve-dev/helve/protocol"
)

type (
	// Pool is a pool of workers with its queue.
	Pool = protocol.Pool
	// WorkersOrdered is the answer to an order: the live workers that it is about.
	WorkersOrdered = protocol.WorkersOrdered
)

// Action is an operator's order to workers.
type Action string

// The orders to workers.
const (
	// PauseWorkers makes workers take no further calls; they finish their own.
	PauseWorkers Action = "pause"
	// ResumeWorkers ends a pause.
	ResumeWorkers Action = "resume"
	// DrainWorkers makes workers finish their calls and end.
	DrainWorkers Action = "drain"
)

// Pools returns the pools, by name. It requires the role auditor or admin.
func (c *Client) Pools(ctx context.Context) ([]Pool, error) {
	body, err := c.ask(ctx, list("pools.list", "/v1/pools", nil))
	if err != nil {
		return nil, err
	}
	var told protocol.PoolList
	return told.Pools, decode(body, &told)
}

// OrderWorker gives an order to one worker. A pause ends with the worker's process. It
// requires the role admin.
func (c *Client) OrderWorker(ctx context.Context, id string, action Action) (WorkersOrdered, error) {
	return c.order(ctx, "worker", id, action)
}

// OrderPool gives an order to the workers of a pool. A pause also holds for workers that
// start later. It requires the role admin.
func (c *Client) OrderPool(ctx context.Context, pool string, action Action) (WorkersOrdered, error) {
	return c.order(ctx, "pool", pool, action)
}

func (c *Client) order(ctx context.Context, what, name string, action Action) (WorkersOrdered, error) {
	if !namePattern.MatchString(name) {
		return WorkersOrdered{}, misused("%s %.80q must have 1 to 64 letters, digits, underscores and hyphens", what, name)
	}
	if action != PauseWorkers && action != ResumeWorkers && action != DrainWorkers {
		return WorkersOrdered{}, misused("%.80q is no order to workers; want pause, resume or drain", action)
	}
	body, err := c.ask(ctx, operation{
		name: what + "s." + string(action), fields: map[string]string{what: name},
		method: http.MethodPost, path: "/v1/" + what + "s/" + url.PathEscape(name) + "/" + string(action),
	})
	if err != nil {
		return WorkersOrdered{}, err
	}
	var told WorkersOrdered
	return told, decode(body, &told)
}

// RemoteInstances returns the live processes that run tools of the tenant and are no workers.
// It requires the role auditor or admin.
func (c *Client) RemoteInstances(ctx context.Context) ([]RemoteInstance, error) {
	body, err := c.ask(ctx, list("remote.list", "/v1/remote", nil))
	if err != nil {
		return nil, err
	}
	var told protocol.RemoteList
	return told.Instances, decode(body, &told)
}

// BriefWorkers is [Client.Workers] without the lists of tools, which may be long.
func (c *Client) BriefWorkers(ctx context.Context) ([]Worker, error) {
	body, err := c.ask(ctx, list("workers.list", "/v1/workers", map[string]string{"brief": "true"}))
	if err != nil {
		return nil, err
	}
	var told WorkerList
	return told.Workers, decode(body, &told)
}
