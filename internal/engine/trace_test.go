package engine

import (
	"context"
	"slices"
	"testing"

	"github.com/helve-dev/helve/tool"
)

type spanKey struct{}

// spans records the parts that were traced, and what was inside what.
type spans struct{ ended []string }

func (s *spans) begin(ctx context.Context, part string) (context.Context, func(error)) {
	return context.WithValue(ctx, spanKey{}, part), func(err error) {
		if err != nil {
			part += " failed"
		}
		s.ended = append(s.ended, part)
	}
}

func TestTraceHasThePartsOfACall(t *testing.T) {
	var within any
	for name, tt := range map[string]struct {
		run  func(context.Context, *tool.Call, pathArgs) (any, error)
		want []string
	}{
		"success": {func(ctx context.Context, _ *tool.Call, _ pathArgs) (any, error) {
			within = ctx.Value(spanKey{})
			return 1, nil
		}, []string{"gate", "fence", "tool"}},
		"failure": {func(context.Context, *tool.Call, pathArgs) (any, error) {
			return nil, tool.Fail(tool.NetworkError, "no")
		}, []string{"gate", "fence", "tool failed"}},
		"panic": {func(context.Context, *tool.Call, pathArgs) (any, error) { panic("x") }, []string{"gate", "fence", "tool failed"}},
	} {
		t.Run(name, func(t *testing.T) {
			var s spans
			w := holding(t, running(tt.run, nil))
			d := w.deps()
			d.Trace = s.begin
			New(d).Execute(t.Context(), job(`{"path":"a"}`))
			if !slices.Equal(s.ended, tt.want) {
				t.Errorf("spans %q, want %q", s.ended, tt.want)
			}
		})
	}
	if within != "tool" {
		t.Errorf("the tool runs in the span %v, want that of the tool", within)
	}
}
