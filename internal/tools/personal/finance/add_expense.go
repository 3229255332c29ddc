package finance

import (
	"context"
	"time"

	"github.com/helve-dev/helve/tool"
)

type addArgs struct {
	input

	Timezone string `json:"timezone,omitempty" doc:"IANA time zone whose today counts if date is left out; UTC if it is left out too."`
}

type addResult struct {
	Success       bool    `json:"success"`
	Expense       expense `json:"expense"`
	Message       string  `json:"message"`
	TotalExpenses int     `json:"totalExpenses" doc:"How many expenses the person has now."`
}

var _ = tool.Add(Set, tool.Spec[addArgs, *addResult]{
	Name:          "add_expense",
	Description:   "Record what the person spent, when a purchase, bill or payment is mentioned, and return the expense with its id.",
	Tags:          []string{"expense", "money", "payment", "bill", "cost", "price", "shopping", "spend"},
	Example:       `{"date":"2026-11-23","amount":42.5,"currency":"EUR","category":"food","description":"Groceries","paymentMethod":"card","tags":["weekly"]}`,
	Risk:          tool.Low,
	Confirmation:  tool.ConfirmNever,
	Mutates:       true,
	Transactional: true,
	Needs:         tool.NeedStore,
	Errors:        []tool.Kind{},
	Timeout:       timeout,
	Run:           addExpense,
})

func addExpense(ctx context.Context, call *tool.Call, args addArgs) (*addResult, error) {
	now, err := today(call, args.Timezone)
	if err != nil {
		return nil, err
	}
	v, err := args.new(call, now.Format(time.DateOnly))
	if err != nil {
		return nil, err
	}
	if args.Date == "" {
		noteZone(call, args.Timezone)
	}
	before, err := count(ctx, call)
	if err != nil {
		return nil, err
	}
	r, err := expenses.Insert(ctx, call.Store, v)
	if err != nil {
		return nil, err
	}
	return &addResult{Success: true, Expense: show(r), Message: "Expense added: " + v.label() + ".", TotalExpenses: before + 1}, nil
}
