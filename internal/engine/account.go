package engine

import (
	"context"

	"github.com/helve-dev/helve/tool"
)

// account parks a job whose tool found that the person has not connected an account, as
// long as nothing was changed: it runs again from its beginning when the account is there.
func (e *Engine) account(next handler) handler {
	return func(ctx context.Context, j *Job) (tool.Result, error) {
		res, err := next(ctx, j)
		m := tool.MissingAccount(err)
		if m == nil || isControl(err) || j.acts() || j.acted.Load() {
			return res, err
		}
		return tool.Result{}, refusal(ctx, j, "account", e.connect(ctx, j, m, err))
	}
}

// connect has the person asked to connect an account. Where nobody can be asked, the job
// ends with the error of the tool.
func (e *Engine) connect(ctx context.Context, j *Job, m *tool.AccountMissing, err error) error {
	if e.deps.Connect == nil {
		return failure(err)
	}
	return e.deps.Connect(ctx, j, m)
}
