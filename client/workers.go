package client

import (
	"context"

	"github.com/helve-dev/helve/protocol"
)

type (
	// Worker is a live worker.
	Worker = protocol.Worker
	// WorkerKind is a list of tools that workers of a pool have.
	WorkerKind = protocol.WorkerKind
	// WorkerTool is a tool as workers of one kind have it.
	WorkerTool = protocol.WorkerTool
	// RemoteInstance is a live process that runs tools and is no worker.
	RemoteInstance = protocol.RemoteInstance
	// WorkerList is the live workers, by id, and the lists of tools that they have.
	WorkerList = protocol.WorkerList
)

// Workers returns the live workers, of one pool if it is not empty. It requires the
// role auditor or admin.
func (c *Client) Workers(ctx context.Context, pool string) (WorkerList, error) {
	var params map[string]string
	if pool != "" {
		params = map[string]string{"pool": pool}
	}
	body, err := c.ask(ctx, list("workers.list", "/v1/workers", params))
	if err != nil {
		return WorkerList{}, err
	}
	var told WorkerList
	return told, decode(body, &told)
}
