package sandbox_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/sandbox"
)

// A shared library can be read in a child as in the worker.
func TestALibraryInTheCage(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Options{Slots: 1})
	host := hostFunc(func(_ context.Context, op js.Op, _ json.RawMessage) (json.RawMessage, error) {
		if op != js.OpLib {
			t.Errorf("asked for %s", op)
		}
		return json.Marshal("exports.two = () => 2")
	})
	v, err := p.Run(t.Context(), sandbox.Job{Tenant: "t", Name: "n", Code: "return lib('two').two()", Host: host})
	if err != nil || string(v) != "2" {
		t.Errorf("Run = %s, %v", v, err)
	}
}
