package finance

import (
	"context"

	"github.com/helve-dev/helve/tool"
)

type deleteArgs struct {
	ExpenseID string `json:"expenseId" doc:"The id of the expense, as query_expenses shows it." min:"1" max:"64"`
}

type deleteResult struct {
	Success bool    `json:"success"`
	Deleted expense `json:"deleted"`
	Message string  `json:"message"`
}

var _ = tool.Add(Set, tool.Spec[deleteArgs, *deleteResult]{
	Name:          "delete_expense",
	Description:   "Delete an expense for ever, when it was recorded by mistake, and return what was deleted.",
	Tags:          []string{"remove expense", "delete expense"},
	Example:       `{"expenseId":"k3f9q2x7m5ab"}`,
	Risk:          tool.Medium,
	Mutates:       true,
	Destructive:   true,
	Transactional: true,
	Needs:         tool.NeedStore,
	Errors:        []tool.Kind{tool.NotFound},
	Timeout:       timeout,
	Check: func(ctx context.Context, call *tool.Call, args deleteArgs) error {
		_, err := find(ctx, call, args.ExpenseID) // nobody is asked about an id that does not exist
		return err
	},
	Run: deleteExpense,
})

func deleteExpense(ctx context.Context, call *tool.Call, args deleteArgs) (*deleteResult, error) {
	r, err := find(ctx, call, args.ExpenseID)
	if err != nil {
		return nil, err
	}
	if err := expenses.Delete(ctx, call.Store, r); err != nil {
		return nil, err
	}
	return &deleteResult{Success: true, Deleted: show(r), Message: "Expense deleted: " + r.Value.label() + "."}, nil
}
