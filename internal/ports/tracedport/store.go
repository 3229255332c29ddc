package tracedport

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/tool"
)

// Store returns a store whose reads, transactions and commits are spans; postgres names the
// kind of the database. The result is an [engine.Work] if s is one. A span names no
// collection: that of a custom table has a name that the caller chose.
func Store(s tool.Store, postgres bool) tool.Store {
	p := &storePort{s, semconv.DBSystemNameSQLite}
	if postgres {
		p.system = semconv.DBSystemNamePostgreSQL
	}
	if work, ok := s.(engine.Work); ok {
		return &workPort{p, work}
	}
	return p
}

type storePort struct {
	tool.Store
	system attribute.KeyValue
}

// traced runs an operation of a store within a span.
func (p *storePort) traced(ctx context.Context, operation string, run func(context.Context) error) {
	ctx, span := telemetry.Child(ctx, trace.SpanKindClient, "store "+operation, p.system, semconv.DBOperationName(operation))
	failure := ""
	if err := run(ctx); err != nil {
		failure = string(tool.AsError(err).Kind)
	}
	telemetry.EndCall(span, failure)
}

// Get implements [tool.Store].
func (p *storePort) Get(ctx context.Context, shape *tool.Shape, id string) (row tool.Row, err error) {
	p.traced(ctx, "get", func(ctx context.Context) error {
		row, err = p.Store.Get(ctx, shape, id)
		return err
	})
	return row, err
}

// Query implements [tool.Store].
func (p *storePort) Query(ctx context.Context, shape *tool.Shape, q tool.Query) (page tool.Page, err error) {
	p.traced(ctx, "query", func(ctx context.Context) error {
		page, err = p.Store.Query(ctx, shape, q)
		return err
	})
	return page, err
}

// Aggregate implements [tool.Store].
func (p *storePort) Aggregate(ctx context.Context, shape *tool.Shape, q tool.AggregateQuery) (groups []tool.Group, err error) {
	p.traced(ctx, "aggregate", func(ctx context.Context) error {
		groups, err = p.Store.Aggregate(ctx, shape, q)
		return err
	})
	return groups, err
}

// Transaction implements [tool.Store].
func (p *storePort) Transaction(ctx context.Context, change func(tool.Store) error) (err error) {
	p.traced(ctx, "transaction", func(ctx context.Context) error {
		err = p.Store.Transaction(ctx, change)
		return err
	})
	return err
}

// workPort is a store whose changes the engine commits.
type workPort struct {
	*storePort
	work engine.Work
}

// Commit implements [engine.Work].
func (p *workPort) Commit(ctx context.Context, res tool.Result) (other *engine.Committed, err error) {
	p.traced(ctx, "commit", func(ctx context.Context) error {
		other, err = p.work.Commit(ctx, res)
		return err
	})
	return other, err
}

// Reset implements [engine.Work].
func (p *workPort) Reset() { p.work.Reset() }
