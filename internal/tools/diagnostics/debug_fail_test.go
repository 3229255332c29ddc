package diagnostics

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDebugFail(t *testing.T) {
	cases := []tooltest.Case{
		{Name: "default", Args: `{"how":"error"}`, Fails: tool.ExecutionError, Message: "failed as asked"},
		{Name: "message", Args: `{"how":"error","message":"50%d"}`, Fails: tool.ExecutionError, Message: "50%d"},
		{Name: "unencodable", Args: `{"how":"unencodable"}`, Fails: tool.ExecutionError, Message: "cannot be encoded"},
		{Name: "unknown way", Args: `{"how":"softly"}`, Fails: tool.ValidationError, Message: "goexit"},
		{Name: "unknown kind", Args: `{"how":"error","kind":"oops"}`, Fails: tool.ValidationError, Message: "kind"},
		{Name: "no way", Args: `{}`, Fails: tool.ValidationError, Message: "how"},
	}
	for _, kind := range tool.Kinds() {
		cases = append(cases, tooltest.Case{
			Name:    string(kind),
			Args:    `{"how":"error","kind":"` + string(kind) + `"}`,
			Fails:   kind,
			Message: "failed as asked",
		})
	}
	tooltest.Run(t, Set, "debug.fail", tool.Call{}, cases)
}

func TestDebugFailKnowsEveryKind(t *testing.T) {
	schema, err := tool.SchemaOf[debugFailArgs]()
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Properties struct {
			Kind struct {
				Enum []tool.Kind `json:"enum"`
			} `json:"kind"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(schema, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tool.Kinds(), got.Properties.Kind.Enum); diff != "" {
		t.Errorf("kinds of debug.fail (-want +got):\n%s", diff)
	}
}

func TestDebugFailPanics(t *testing.T) {
	defer func() {
		if got := recover(); got != "boom" {
			t.Errorf("recovered %v, want boom", got)
		}
	}()
	_, err := run(t.Context(), t, "debug.fail", `{"how":"panic","message":"boom"}`, &tool.Call{})
	t.Errorf("the call returned %v, want a panic", err)
}

func TestDebugFailExits(t *testing.T) {
	returned, done := false, make(chan struct{})
	go func() {
		defer close(done)
		_, _ = run(t.Context(), t, "debug.fail", `{"how":"goexit"}`, &tool.Call{})
		returned = true
	}()
	<-done
	if returned {
		t.Error("the call returned, want its goroutine to end")
	}
}

func TestDebugFailWaitsForTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		start := time.Now()
		_, err := run(ctx, t, "debug.fail", `{"how":"timeout"}`, &tool.Call{})
		if took := time.Since(start); took != 3*time.Second || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the call ended after %v with %v, want 3s and the deadline", took, err)
		}
	})
}
