package sandbox_test

import (
	"testing"

	"github.com/helve-dev/helve/internal/toolbox/sandbox"
	"github.com/helve-dev/helve/internal/toolbox/sandbox/sandboxtest"
)

func newPool(t testing.TB, o sandbox.Options) *sandbox.Pool {
	t.Helper()
	if len(o.Program) == 0 {
		o.Program = sandboxtest.Program(t)
	}
	p, err := sandbox.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}
