package engine

import (
	"errors"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func TestAvailable(t *testing.T) {
	w := holding(t, returning(1, nil))
	w.allowErr = tool.Fail(tool.ToolNotAvailable, "Tool 'x' is not available for this agent")
	out := w.execute(t.Context(), job(`{"path":1}`))
	wantKind(t, out, tool.ToolNotAvailable)
	if out.Err.Msg != "Tool 'x' is not available for this agent" {
		t.Errorf("message = %q, want the one of Access", out.Err.Msg)
	}
	for _, fault := range []error{errors.New("no agents known"), (*tool.Error)(nil)} {
		w.allowErr = fault
		wantKind(t, w.execute(t.Context(), job(`{"path":"a"}`)), tool.Internal)
	}
}
