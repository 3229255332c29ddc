package sandbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/test/childtest"
	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/sandbox"
	"github.com/helve-dev/helve/internal/toolbox/sandbox/child"
	"github.com/helve-dev/helve/tool"
)

var withCgo = childtest.ProgramWithCgo("internal/toolbox/sandbox/testchild")

// TestChildrenWithCgo runs the hostile scripts, with good ones beside them, in children
// that are linked with cgo, as `go run` builds them if there is a C compiler.
func TestChildrenWithCgo(t *testing.T) {
	t.Parallel()
	program, err := withCgo()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skipf("NOT TESTED: children that are linked with cgo, since there is no C compiler: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	var killed kills
	p := newPool(t, sandbox.Options{Program: []string{program, child.Argument}, Slots: 4, Killed: killed.add})
	limits := sandbox.Limits{Wall: 5 * time.Second, CPU: 200 * time.Millisecond}
	for _, tt := range hostile {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v, err := p.Run(t.Context(), sandbox.Job{Tenant: "hostile", User: tt.name, Name: "tool", Code: tt.code, Host: echo, Limits: limits})
			if e := tool.AsError(err); e == nil && !tt.any || e != nil && !slices.Contains(endings, e.Kind) {
				t.Errorf("Run = %.100s, %.200v", v, err)
			}
			v, err = p.Run(t.Context(), sandbox.Job{
				Tenant: "good",
				User:   tt.name,
				Code:   "return await utils.callTool('x', {n: 1}).then(JSON.stringify)",
				Host:   echo,
			})
			if err != nil || !strings.Contains(string(v), "name") {
				t.Errorf("beside it Run = %.100s, %v", v, err)
			}
		})
	}
	t.Run("many bodies", func(t *testing.T) {
		h := &bodyHost{
			hostFunc: func(context.Context, js.Op, json.RawMessage) (json.RawMessage, error) { return nil, nil }, body: make([]byte, js.MaxBody),
		}
		for range 5 {
			code := `let n = 0; for (let i = 0; i < 10; i++) n += (await (await fetch("http://127.0.0.1/")).arrayBuffer()).byteLength; return n`
			v, err := p.Run(t.Context(), sandbox.Job{Tenant: "good", Code: code, Network: true, Host: h})
			if err != nil || string(v) != "52428800" {
				t.Errorf("Run = %.100s, %v", v, err)
			}
		}
	})
}
