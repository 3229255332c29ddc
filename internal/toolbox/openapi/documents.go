package openapi

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/internal/toolbox/apitools"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// documents are the API documents of this worker: what they offer, and what dispatchers
// are told of it.
type documents struct {
	host toolbox.Host
	pool *apitools.Pool

	changing sync.Mutex
	served   toolbox.Served
	state    *apitools.State // as it was registered last; nil if that failed
}

func newDocuments(host toolbox.Host) *documents {
	return &documents{host: host, served: toolbox.Served{Host: host, Part: toolbox.OpenAPI, Kind: tool.KindOpenAPI}}
}

// follow reads the documents, and registers what they offer whenever that changes, until
// close.
func (d *documents) follow(life context.Context) error {
	bucket, err := d.host.Queue.Conn.Bucket(life, streams.BucketUpstream)
	if err != nil {
		return err
	}
	ready := make(chan struct{})
	d.pool, err = apitools.Open(life, apitools.Options{
		File: d.host.Config.OpenAPIFile, Bucket: bucket, Worker: d.host.Worker, Home: d.host.Config.Worker.Pools[0],
		Metrics: d.host.Metrics, Log: d.host.Log,
		Changed: func(ctx context.Context) bool {
			select {
			case <-ready:
				return d.changed(ctx)
			case <-ctx.Done():
				return true
			}
		},
	})
	if err != nil {
		return fmt.Errorf("openapi_file: %w", err)
	}
	close(ready)
	d.changed(life)
	return nil
}

// changed lets calls have what the documents offer now, and tells dispatchers. It reports
// whether that worked.
func (d *documents) changed(life context.Context) bool {
	d.changing.Lock()
	defer d.changing.Unlock()
	state := d.pool.State()
	if d.state != nil && reflect.DeepEqual(state, *d.state) {
		return true // an approval was reported that is known
	}
	d.state = nil
	offered, clashes, err := d.offer(slices.Clone(state.Tools))
	if err != nil {
		d.host.Log.Error("what API documents offer is not usable; the old tools stay", zap.Error(err))
		return false
	}
	registered := d.served.Register(life, slices.Concat(offered, state.Withheld), true)
	d.host.Report(life, toolbox.OpenAPI, loadErrors(slices.Concat(state.Problems, clashes)))
	if registered {
		d.state = &state
	}
	return registered
}

// offer lets calls have the tools. A document is refused as a whole if one of its tools has
// a name that another tool has.
func (d *documents) offer(list []apitools.Offered) (offered []tool.Definition, clashes []apitools.Problem, err error) {
	for range len(list) + 1 {
		var tools []*tool.Tool
		for _, o := range list {
			tools = append(tools, o.Tools...)
		}
		refused, err := d.served.Offer(tools)
		if err != nil {
			return nil, nil, err
		}
		if len(refused) == 0 {
			offered = make([]tool.Definition, len(tools))
			for i, t := range tools {
				offered[i] = t.Definition
			}
			return offered, clashes, nil
		}
		before := len(list)
		list = slices.DeleteFunc(list, func(o apitools.Offered) bool {
			for _, t := range o.Tools {
				if why := refused[t.Name]; why != nil {
					clashes = append(clashes, o.API.Clash(t.Name, why))
					return true
				}
			}
			return false
		})
		if len(list) == before {
			return nil, nil, fmt.Errorf("tools are refused that no document has: %v", slices.Sorted(maps.Keys(refused)))
		}
	}
	return offered, clashes, nil
}

// loadErrors returns problems as load errors.
func loadErrors(problems []apitools.Problem) []protocol.LoadError {
	var list []protocol.LoadError
	for _, p := range problems {
		e := protocol.LoadError{File: p.File, Reason: p.Reason}
		if p.Entry >= 0 {
			e.Entry = &p.Entry
		}
		if p.API != "" {
			e.Reason = p.API + ": " + p.Reason
		}
		list = append(list, e)
	}
	return list
}

// close ends what follow started.
func (d *documents) close() {
	if d.pool != nil {
		d.pool.Close()
	}
}

// refuses returns why a tool is withheld. There is none before follow.
func (d *documents) refuses(name string) *tool.Error {
	if d.pool == nil {
		return nil
	}
	return d.pool.Refuses(name)
}
