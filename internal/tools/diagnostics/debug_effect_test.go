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

var aMoment = tooltest.Clock{T: time.Unix(1_700_000_000, 42)}

func TestDebugEffect(t *testing.T) {
	files := tooltest.Files{}
	tooltest.Run(t, Set, "debug.effect", tool.Call{ID: "c-1", Files: files, Clock: aMoment}, []tooltest.Case{
		{Name: "once", Args: `{"key":"a"}`, Want: `{"written":true}`},
		{Name: "again", Args: `{"key":"b/ü","before_ms":1,"after_ms":1}`, Want: `{"written":true}`},
		{Name: "space", Args: `{"key":"a b"}`, Fails: tool.ValidationError, Message: "white space"},
		{Name: "line", Args: `{"key":"a\nb"}`, Fails: tool.ValidationError, Message: "white space"},
		{Name: "wide space", Args: `{"key":"a\u00a0b"}`, Fails: tool.ValidationError, Message: "white space"},
		{Name: "empty", Args: `{"key":""}`, Fails: tool.ValidationError, Message: "key"},
		{Name: "no key", Args: `{}`, Fails: tool.ValidationError, Message: "key"},
		{Name: "negative", Args: `{"key":"a","after_ms":-1}`, Fails: tool.ValidationError, Message: "after_ms"},
	})
	const want = "a c-1 1700000000000000042\nb/ü c-1 1700000000000000042\n"
	if got := files[ledger]; got != want {
		t.Errorf("the ledger is %q, want %q", got, want)
	}
}

func TestDebugEffectAndCancellation(t *testing.T) {
	for _, tt := range []struct {
		name, args string
		budget     time.Duration
		written    bool
	}{
		{"before the call", `{"key":"k"}`, 0, false},
		{"before the write", `{"key":"k","before_ms":2000}`, time.Second, false},
		{"after the write", `{"key":"k","after_ms":2000}`, time.Second, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), tt.budget)
			defer cancel()
			files := tooltest.Files{}
			start := time.Now()
			res, err := run(ctx, t, "debug.effect", tt.args, &tool.Call{ID: "c", Files: files, Clock: aMoment})
			if took := time.Since(start); took != tt.budget {
				t.Errorf("%s: the call took %v, want %v", tt.name, took, tt.budget)
			}
			if got := files[ledger] != ""; got != tt.written {
				t.Errorf("%s: written %v, want %v", tt.name, got, tt.written)
			}
			if tt.written && (err != nil || string(res.Value) != `{"written":true}`) {
				t.Errorf("%s: result %s, %v, want success", tt.name, res.Value, err)
			}
			if !tt.written && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: error %v, want the context's", tt.name, err)
			}
		})
	}
}
