package finance

import (
	"context"
	"fmt"
	"time"

	"github.com/helve-dev/helve/internal/lib/batch"
	"github.com/helve-dev/helve/internal/lib/money"
	"github.com/helve-dev/helve/tool"
)

// item is one expense of a batch. What is wrong with it is known when the others are.
type item struct {
	input

	wrong error
}

// UnmarshalJSON implements [json.Unmarshaler].
func (it *item) UnmarshalJSON(data []byte) error {
	it.wrong = batch.Decode(data, &it.input)
	return nil
}

type batchArgs struct {
	Expenses []item `json:"expenses" doc:"The expenses, 1 to 100." min:"1" max:"100"`
	Atomic   *bool  `json:"atomic,omitempty" doc:"Whether all expenses are added or none; if false, each is added that can be. The default is true."`
	Timezone string `json:"timezone,omitempty" doc:"IANA time zone whose today counts for expenses without a date; UTC if it is left out."`
}

type batchResult struct {
	Success         bool                   `json:"success"`
	AddedCount      int                    `json:"addedCount" doc:"How many were added."`
	Count           int                    `json:"count" doc:"The same."`
	TotalAmount     *tool.Number           `json:"totalAmount,omitempty" doc:"The sum of what was added, where all of it has one currency."`
	TotalByCurrency map[string]tool.Number `json:"totalByCurrency" doc:"The sum of what was added in each currency."`
	Expenses        []expense              `json:"expenses" doc:"The expenses that were added."`
	Message         string                 `json:"message"`
	TotalExpenses   int                    `json:"totalExpenses" doc:"How many expenses the person has now."`
	Results         []batch.Outcome        `json:"results,omitempty" doc:"The outcome of each expense in the order given, if atomic is false."`
}

var _ = tool.Add(Set, tool.Spec[batchArgs, *batchResult]{
	Name: "batch_add_expenses",
	Description: "Record several expenses in one call, all or none unless atomic is false, and return them with their ids and their sums " +
		"by currency.",
	Tags:          []string{"bulk expenses", "multiple expenses"},
	Example:       `{"expenses":[{"date":"2026-11-22","amount":18,"currency":"EUR","category":"transport","description":"Taxi"},{"date":"2026-11-23","amount":9.99,"currency":"USD","category":"subscription","description":"Music"}]}`,
	Risk:          tool.Low,
	Confirmation:  tool.ConfirmNever,
	Mutates:       true,
	Transactional: true,
	Loose:         []string{"expenses"},
	Needs:         tool.NeedStore,
	Errors:        []tool.Kind{},
	Timeout:       timeout,
	Run:           batchAddExpenses,
})

func batchAddExpenses(ctx context.Context, call *tool.Call, args batchArgs) (*batchResult, error) {
	now, err := today(call, args.Timezone)
	if err != nil {
		return nil, err
	}
	before, err := count(ctx, call)
	if err != nil {
		return nil, err
	}
	atomic := args.Atomic == nil || *args.Atomic
	values := make([]stored, len(args.Expenses))
	res := &batchResult{Success: true, Expenses: []expense{}}
	undated := false
	var sums money.Sums
	outcomes, err := batch.Create(len(values), atomic, func(i int) (err error) {
		if args.Expenses[i].wrong != nil {
			return args.Expenses[i].wrong
		}
		undated = undated || args.Expenses[i].Date == ""
		values[i], err = args.Expenses[i].new(call, now.Format(time.DateOnly))
		return err
	}, func(i int) (string, error) {
		r, err := expenses.Insert(ctx, call.Store, values[i])
		if err != nil {
			return "", err
		}
		res.Expenses = append(res.Expenses, show(r))
		return r.ID, add(&sums, r.Value.Currency, r.Value)
	})
	if err != nil {
		return nil, err
	}
	if undated {
		noteZone(call, args.Timezone)
	}
	res.AddedCount, res.Count = len(res.Expenses), len(res.Expenses)
	res.TotalExpenses = before + res.Count
	res.TotalByCurrency = sums.Numbers()
	if keys := sums.Keys(); len(keys) == 1 {
		sum := sums.Of(keys[0]).Number()
		res.TotalAmount = &sum
	}
	res.Message = fmt.Sprintf("Added %d expense(s).", res.Count)
	if !atomic {
		res.Results = outcomes
		res.Message = fmt.Sprintf("Added %d of %d expense(s); results has the outcome of each.", res.Count, len(values))
	}
	return res, nil
}

// add adds the amount of a stored expense to a sum.
func add(sums *money.Sums, key string, v stored) error {
	amount, err := money.Parse(v.Amount, v.Currency)
	if err != nil {
		return tool.Fail(tool.Internal, "a stored expense has the amount %q", v.Amount).Because(err)
	}
	sums.Add(key, amount)
	return nil
}
