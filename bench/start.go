package bench

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/fleet/catalogsync"
	"github.com/helve-dev/helve/internal/tools"
	"github.com/helve-dev/helve/internal/tools/diagnostics"
	"github.com/helve-dev/helve/tool"
)

// startRounds is the number of times that each process is started; the median counts.
const startRounds = 5

// start measures the time from the start of processes to their ready line, and the time
// to register every tool.
func start(ctx context.Context, f *fleet) (string, error) {
	register, defs, err := registerAll(ctx, f.nats)
	if err != nil {
		return "", err
	}
	parts := []string{fmt.Sprintf("registering %d tools %.1f ms", defs, millis(register))}
	kinds := []struct {
		name   string
		launch func(round int) (*node, error)
	}{
		{"dispatcher ready", func(int) (*node, error) { return f.dispatcher(ctx) }},
		{"worker ready", func(int) (*node, error) { return f.worker(ctx) }},
		{"helve up ready", func(round int) (*node, error) {
			return f.run(ctx, "up", append(slices.Clone(f.opts.Up), "--nats", "127.0.0.1:0", "--http", "127.0.0.1:0",
				"--data", filepath.Join(f.dir, fmt.Sprintf("up-%d", round))))
		}},
	}
	if len(f.opts.Up) == 0 {
		kinds = kinds[:2]
	}
	for _, kind := range kinds {
		var took []float64
		for round := range startRounds {
			n, err := kind.launch(round)
			if err != nil {
				return "", err
			}
			took = append(took, millis(n.took))
			n.stop()
		}
		parts = append(parts, fmt.Sprintf("%s %.0f ms", kind.name, median(took)))
	}
	return strings.Join(parts, ", "), nil
}

func millis(d time.Duration) float64 { return d.Seconds() * 1000 }

// registerAll registers every tool as a worker does if none is registered: it compiles
// each schema and stores each definition.
func registerAll(ctx context.Context, url string) (took time.Duration, count int, err error) {
	q, err := queue.Connect(queue.Options{Options: streams.Options{Options: natsio.Options{URL: url, Name: "helve-bench", Log: zap.NewNop()}}})
	if err != nil {
		return 0, 0, err
	}
	defer q.Close()
	if err := q.Prepare(ctx); err != nil {
		return 0, 0, err
	}
	began := time.Now()
	var defs []tool.Definition
	for _, set := range append(tools.Builtin(), diagnostics.Set) {
		for _, one := range set.Tools() {
			if _, err := engine.NewEntry(one); err != nil {
				return 0, 0, err
			}
			defs = append(defs, one.Definition)
		}
	}
	if err := catalog.New().Put(defs...); err != nil {
		return 0, 0, err
	}
	err = catalogsync.Register(ctx, q, defs)
	return time.Since(began), len(defs), err
}
