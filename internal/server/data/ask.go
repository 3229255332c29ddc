package data

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/tool"
)

// Asker has workers do what a request asks for, in a conversation over NATS ([peer.Data]).
type Asker struct {
	Queue *queue.Queue
	Tools *catalog.Catalog
}

// helloTime bounds the search for a worker.
const helloTime = 5 * time.Second

// pools returns a pool for each database of personal data.
func (a Asker) pools(ctx context.Context, tenant string) (pools []string, err error) {
	all := poolsOf(a.Tools)
	if len(all) == 0 {
		return nil, noWorker("")
	}
	stores := map[string]bool{}
	for _, pool := range all {
		hello, cancel := context.WithTimeout(ctx, helloTime)
		answer, err := a.Queue.Data.Ask(hello, pool, peer.DataRequest{Op: peer.DataHello, Tenant: tenant}, nil, nil)
		cancel()
		if err != nil {
			return nil, answerError(ctx, err, pool)
		}
		if !stores[answer.Store] {
			stores[answer.Store] = true
			pools = append(pools, pool)
		}
	}
	return pools, nil
}

// Pool returns the pool whose workers answer: that of a tool if they can, otherwise the
// first pool with workers that can.
func (a Asker) Pool(wanted string) (string, error) {
	all := poolsOf(a.Tools)
	switch {
	case len(all) == 0:
		return "", noWorker(wanted)
	case slices.Contains(all, wanted):
		return wanted, nil
	}
	return all[0], nil
}

// poolsOf returns the pools whose tools keep personal data, sorted.
func poolsOf(tools *catalog.Catalog) (pools []string) {
	for _, def := range tools.All() {
		if def.Transactional && !slices.Contains(pools, def.Pool) {
			pools = append(pools, def.Pool)
		}
	}
	slices.Sort(pools)
	return pools
}

func noWorker(pool string) error {
	if pool != "" {
		pool = " of pool " + pool
	}
	err := api.Unavailable("no worker%s that holds personal data answers; start one, or use \"helve data\" on the machine with the database",
		pool)
	err.RetryAfter = time.Second
	return err
}

// answerError returns the error of a conversation as callers see it.
func answerError(ctx context.Context, err error, pool string) error {
	if errors.Is(err, natsio.ErrUnavailable) && ctx.Err() == nil {
		return noWorker(pool)
	}
	return err
}

// Ask has a worker of a pool answer, and decodes the result into v unless that is nil.
func (a Asker) Ask(ctx context.Context, pool string, r peer.DataRequest, in io.Reader, out io.Writer, v any) error {
	got, err := a.Queue.Data.Ask(ctx, pool, r, in, out)
	switch {
	case err != nil:
		return answerError(ctx, err, pool)
	case got.Kind != "":
		return Refusal(got)
	case v == nil:
		return nil
	}
	return json.Unmarshal(got.Result, v)
}

// Refusal returns the failure that a worker reports.
func Refusal(a peer.DataAnswer) error {
	switch tool.Kind(a.Kind) {
	case tool.ValidationError:
		return api.BadRequest("%s", a.Message)
	case tool.NotFound:
		return api.NotFound("%s", a.Message)
	case tool.Overloaded, tool.NotConfigured, tool.Unsupported:
		return api.Unavailable("%s", a.Message)
	case tool.RateLimited:
		return &api.RequestError{Type: "overloaded", Status: http.StatusTooManyRequests, Msg: a.Message}
	default:
	}
	return fmt.Errorf("a worker failed: %s: %.300s", a.Kind, a.Message)
}
