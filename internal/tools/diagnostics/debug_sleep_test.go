package diagnostics

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDebugSleep(t *testing.T) {
	tooltest.Run(t, Set, "debug.sleep", tool.Call{}, []tooltest.Case{
		{Name: "none", Args: `{"ms":0}`, Want: `{"slept_ms":0}`},
		{Name: "short", Args: `{"ms":1,"deaf":true}`, Want: `{"slept_ms":1}`},
		{Name: "negative", Args: `{"ms":-1}`, Fails: tool.ValidationError, Message: "ms"},
		{Name: "for ever", Args: `{"ms":1e12}`, Fails: tool.ValidationError, Message: "ms"},
		{Name: "nothing", Args: `{}`, Fails: tool.ValidationError, Message: "ms"},
	})
}

func TestDebugSleepTakesItsTime(t *testing.T) {
	for _, tt := range []struct {
		args string
		took time.Duration
		err  error
	}{
		{`{"ms":5000}`, 5 * time.Second, nil},
		{`{"ms":60000}`, 10 * time.Second, context.DeadlineExceeded},
		{`{"ms":60000,"deaf":true}`, time.Minute, nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			start := time.Now()
			_, err := run(ctx, t, "debug.sleep", tt.args, &tool.Call{})
			if took := time.Since(start); took != tt.took || !errors.Is(err, tt.err) {
				t.Errorf("debug.sleep(%s) with 10 s to go took %v, %v, want %v, %v", tt.args, took, err, tt.took, tt.err)
			}
		})
	}
}
