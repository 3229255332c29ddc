package worker

import (
	"context"
	"slices"
	"sync"

	"github.com/helve-dev/helve/internal/catalog"
	"github.com/helve-dev/helve/internal/directory"
)

// loads is what this worker could not load: of its tools directories, and of its MCP
// servers.
type loads struct {
	reporter *directory.Reporter

	mu                sync.Mutex
	scripts, upstream []catalog.LoadError
}

// openLoads begins to tell dispatchers, until life ends, if there is anything to load.
func (w *Worker) openLoads(life context.Context) (err error) {
	if w.scripts == nil && w.upstream == nil {
		return nil
	}
	w.loads.reporter, err = directory.NewReporter(life, w.bus, w.ID(), w.kit.Log)
	return err
}

// report replaces one part of what is told.
func (l *loads) report(ctx context.Context, part *[]catalog.LoadError, list []catalog.LoadError) {
	l.mu.Lock()
	defer l.mu.Unlock()
	*part = list
	l.reporter.Report(ctx, slices.Concat(l.scripts, l.upstream))
}
