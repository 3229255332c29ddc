package engine

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func TestRefusal(t *testing.T) {
	denied := tool.Fail(tool.PolicyDenied, "no")
	for _, tt := range []struct {
		name    string
		ended   error // the cause with which the context ended
		err     error
		want    tool.Kind
		control error
	}{
		{"a kind of its own", nil, denied, tool.PolicyDenied, nil},
		{"a wrapped one", nil, fmt.Errorf("rule 3: %w", denied), tool.PolicyDenied, nil},
		{"a kind of its own while cancelled", ErrCancelled, denied, tool.PolicyDenied, nil},
		{"a plain error", nil, errors.New("x"), tool.Internal, nil},
		{"a plain error while cancelled", ErrCancelled, context.Canceled, tool.Cancelled, nil},
		{"a plain error while stopping", ErrShutdown, context.Canceled, "", ErrRetry},
		{"a control error", nil, ErrRunningElsewhere, "", ErrRunningElsewhere},
		{"a wrapped control error", nil, fmt.Errorf("shard 2: %w", ErrAlreadyFinished), "", ErrAlreadyFinished},
		{"a control error as a cause", nil, tool.Fail(tool.Internal, "x").Because(ErrRetry), "", ErrRetry},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		if tt.ended != nil {
			cancel(tt.ended)
		}
		got := refusal(ctx, job(`{}`), "available", tt.err)
		cancel(nil)
		var o Outcome
		o.settle(tool.Result{}, got)
		switch {
		case tt.control != nil && (!errors.Is(o.Control, tt.control) || o.Err != nil):
			t.Errorf("%s: control %v, error %v, want control %v", tt.name, o.Control, o.Err, tt.control)
		case tt.control == nil && (o.Err == nil || o.Err.Kind != tt.want || o.Control != nil):
			t.Errorf("%s: error %v, control %v, want kind %s", tt.name, o.Err, o.Control, tt.want)
		}
	}
}
