package tracedport

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/codes"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/tool"
)

// unit is a store that answers nothing, and counts its resets.
type unit struct {
	tool.Store
	err    error
	resets int
}

func (u *unit) Get(context.Context, *tool.Shape, string) (tool.Row, error) {
	return tool.Row{ID: "secret"}, u.err
}

func (u *unit) Query(context.Context, *tool.Shape, tool.Query) (tool.Page, error) {
	return tool.Page{Rows: make([]tool.Row, 2)}, u.err
}

func (u *unit) Aggregate(context.Context, *tool.Shape, tool.AggregateQuery) ([]tool.Group, error) {
	return make([]tool.Group, 3), u.err
}

func (u *unit) Transaction(_ context.Context, change func(tool.Store) error) error {
	return change(u)
}

func (u *unit) Commit(context.Context, tool.Result) (*engine.Committed, error) {
	return &engine.Committed{Attempt: 4}, u.err
}

func (u *unit) Reset() { u.resets++ }

func TestStoreSpans(t *testing.T) {
	shape := &tool.Shape{Name: "secret"}
	for operation, run := range map[string]func(context.Context, tool.Store) (bool, error){
		"get": func(ctx context.Context, s tool.Store) (bool, error) {
			row, err := s.Get(ctx, shape, "secret")
			return row.ID == "secret", err
		},
		"query": func(ctx context.Context, s tool.Store) (bool, error) {
			page, err := s.Query(ctx, shape, tool.Query{})
			return len(page.Rows) == 2, err
		},
		"aggregate": func(ctx context.Context, s tool.Store) (bool, error) {
			groups, err := s.Aggregate(ctx, shape, tool.AggregateQuery{})
			return len(groups) == 3, err
		},
		"transaction": func(ctx context.Context, s tool.Store) (bool, error) {
			var err error
			return true, s.Transaction(ctx, func(inner tool.Store) error { err = inner.(*unit).err; return err })
		},
		"commit": func(ctx context.Context, s tool.Store) (bool, error) {
			other, err := s.(engine.Work).Commit(ctx, tool.Result{})
			return other.Attempt == 4, err
		},
	} {
		t.Run(operation, func(t *testing.T) {
			for _, postgres := range []bool{false, true} {
				ctx, rec := recorded(t)
				same, err := run(ctx, Store(&unit{}, postgres))
				system := map[bool]string{false: "sqlite", true: "postgresql"}[postgres]
				span, attrs := onlySpan(t, rec)
				if !same || err != nil || span.Name() != "store "+operation {
					t.Errorf("%s within the span %q = %v, %v, want the answer of the store", operation, span.Name(), same, err)
				}
				if diff := cmp.Diff(map[string]any{"db.system.name": system, "db.operation.name": operation}, attrs); diff != "" {
					t.Errorf("attributes differ (-want +got):\n%s", diff)
				}
			}
			ctx, rec := recorded(t)
			_, err := run(ctx, Store(&unit{err: tool.Fail(tool.NotFound, "secret")}, false))
			if span, attrs := onlySpan(t, rec); err == nil || span.Status().Code != codes.Error || span.Status().Description != "not_found" ||
				attrs["error.type"] != "not_found" {
				t.Errorf("a failure = %v has the span %v %v, want not_found", err, span.Status(), attrs)
			}
		})
	}
}

// TestStoreResets: the engine may reset a traced unit.
func TestStoreResets(t *testing.T) {
	u := &unit{}
	Store(u, false).(engine.Work).Reset()
	if u.resets != 1 {
		t.Errorf("%d resets, want 1", u.resets)
	}
}
