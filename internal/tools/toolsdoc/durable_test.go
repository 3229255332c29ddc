package toolsdoc

import (
	"context"
	"encoding/json"

	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/js/durabletest"
	"github.com/helve-dev/helve/tool"
)

// runs executes the code of a program in this process, and its steps on the stage.
type runs struct{ *stage }

// Run implements [tool.Durable].
func (p runs) Run(ctx context.Context, call *tool.Call, code tool.DurableCode) (tool.Result, error) {
	compiled, err := js.CompileDurable("code", code.Code, code.Args)
	if err != nil {
		return tool.Result{}, err
	}
	parent := &durabletest.Parent{NowMS: 1_790_000_000_000, Run: func(s js.Step) (json.RawMessage, *js.StepError) {
		res, err := inner(p).Call(ctx, s.Tool, s.Args)
		if err != nil {
			failed := tool.AsError(err)
			return nil, &js.StepError{Type: string(failed.Kind), Message: failed.Msg}
		}
		return res.Value, nil
	}}
	value, err := js.Run(ctx, &js.Task{
		Program: compiled, Args: json.RawMessage("null"), Host: parent, Durable: &js.Durable{ID: call.ID, NowMS: parent.NowMS},
	})
	return tool.Result{Value: value}, err
}
