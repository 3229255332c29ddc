package worker

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/helve-dev/helve/internal/fleet/catalogsync"
	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/protocol"
)

// loads publishes the load errors of this worker's parts.
type loads struct {
	reporter *catalogsync.Reporter

	mu     sync.Mutex
	byPart map[string][]protocol.LoadError
}

// openLoads publishes load errors to dispatchers until life ends, if a part loads anything.
func (w *Worker) openLoads(life context.Context) (err error) {
	if !slices.ContainsFunc(w.attached, func(a toolbox.Attached) bool { return a.Follow != nil }) {
		return nil
	}
	w.loads.reporter, err = catalogsync.NewReporter(life, w.queue, w.ID(), w.kit.Log)
	return err
}

// report publishes the load errors of a part, in place of those it reported before.
func (l *loads) report(ctx context.Context, part string, list []protocol.LoadError) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byPart == nil {
		l.byPart = map[string][]protocol.LoadError{}
	}
	l.byPart[part] = list
	var all []protocol.LoadError
	for _, name := range slices.Sorted(maps.Keys(l.byPart)) {
		all = append(all, l.byPart[name]...)
	}
	l.reporter.Report(ctx, all)
}
