package sandbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/sandbox"
	"github.com/helve-dev/helve/tool"
)

var echo = hostFunc(func(_ context.Context, _ js.Op, args json.RawMessage) (json.RawMessage, error) { return args, nil })

// endings are the kinds of error a hostile script may end with: never internal.
var endings = []tool.Kind{tool.Timeout, tool.ExecutionError, tool.ValidationError}

func TestHostileScripts(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Options{Slots: 2})
	limits := sandbox.Limits{Wall: 2 * time.Second, CPU: 100 * time.Millisecond}
	for _, tt := range hostile {
		t.Run(tt.name, func(t *testing.T) {
			v, err := p.Run(t.Context(), sandbox.Job{Tenant: "t", Name: "tool", Code: tt.code, Host: echo, Limits: limits})
			if err == nil {
				if !tt.any {
					t.Errorf("Run = %.100s", v)
				}
				return
			}
			if e := tool.AsError(err); !slices.Contains(endings, e.Kind) || len(e.Msg) > 5000 {
				t.Errorf("Run = %.200s", err)
			}
			t.Logf("%.200s", err)
		})
		if v, err := p.Run(t.Context(), sandbox.Job{Tenant: "t", Code: "return 1"}); err != nil || string(v) != "1" {
			t.Errorf("after %s Run = %s, %v", tt.name, v, err)
		}
	}
}

// Whatever hostile scripts do, other scripts get their answers.
func TestBystanders(t *testing.T) {
	t.Parallel()
	const each = 120
	p := newPool(t, sandbox.Options{})
	var work sync.WaitGroup
	for i := range each {
		work.Go(func() {
			tt := hostile[i%len(hostile)]
			l := sandbox.Limits{Wall: 300 * time.Millisecond, CPU: 60 * time.Millisecond}
			_, err := p.Run(t.Context(), sandbox.Job{Tenant: fmt.Sprint(i % 3), Code: tt.code, Host: echo, Limits: l})
			if e := tool.AsError(err); e != nil && !slices.Contains(endings, e.Kind) {
				t.Errorf("%s: Run = %.200s", tt.name, err)
			}
		})
		work.Go(func() {
			code := "let n = 0; for (let i = 0; i < 1000; i++) n += i; const o = await utils.callTool('x', {n}); " +
				"return args.i + ':' + JSON.stringify(o)"
			v, err := p.Run(t.Context(), sandbox.Job{Tenant: fmt.Sprint(i % 4), Code: code, Args: fmt.Appendf(nil, `{"i":%d}`, i), Host: echo})
			if want := fmt.Sprintf(`"%d:{\"name\":\"x\",\"args\":{\"n\":499500}}"`, i); err != nil || string(v) != want {
				t.Errorf("bystander %d: Run = %s, %v, want %s", i, v, err, want)
			}
		})
	}
	work.Wait()
}
