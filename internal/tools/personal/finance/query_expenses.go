package finance

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/internal/lib/listing"
	"github.com/helve-dev/helve/internal/lib/money"
	"github.com/helve-dev/helve/tool"
)

type queryArgs struct {
	StartDate string       `json:"startDate,omitempty" doc:"The first day, YYYY-MM-DD."`
	EndDate   string       `json:"endDate,omitempty" doc:"The last day, YYYY-MM-DD."`
	Category  string       `json:"category,omitempty" doc:"Only expenses of this category." enum:"food,transport,utilities,entertainment,shopping,health,education,travel,subscription,housing,other"`
	MinAmount *tool.Number `json:"minAmount,omitempty" doc:"Only expenses of this amount or more, in whichever currency they are."`
	MaxAmount *tool.Number `json:"maxAmount,omitempty" doc:"Only expenses of this amount or less, in whichever currency they are."`
	Search    string       `json:"search,omitempty" doc:"Words that the description or the notes must have; the beginning of a word is enough."`
	Tags      []string     `json:"tags,omitempty" doc:"Only expenses that have all of these tags."`
	Currency  string       `json:"currency,omitempty" doc:"Currency of the sums by category and of the average; the default currency if it is left out."`
	Limit     int          `json:"limit,omitempty" doc:"The most expenses to return, 1 to 100."`
	Offset    int          `json:"offset,omitempty" doc:"How many expenses to skip."`
	Aggregate bool         `json:"aggregate,omitempty" doc:"Whether to return sums over all that match, too."`
}

type queryResult struct {
	Message    string         `json:"message"`
	Count      int            `json:"count" doc:"How many are returned."`
	TotalCount int            `json:"totalCount" doc:"How many match."`
	Total      int            `json:"total" doc:"The same."`
	Truncated  bool           `json:"truncated" doc:"Whether there are more than are returned."`
	Expenses   []expense      `json:"expenses" doc:"The newest day first."`
	Summary    map[string]any `json:"summary,omitempty" doc:"totalByCurrency; and of one currency totalByCategory, averageExpense and grandTotal followed by its code; dateRange with earliest and latest."`
}

var _ = tool.Add(Set, tool.Spec[queryArgs, *queryResult]{
	Name: "query_expenses",
	Description: "Find the person's expenses by day, category, amount, words or tags, newest first, with sums if aggregate is true, " +
		"and return them with their ids.",
	Tags:         []string{"expense search", "filter", "budget", "query expenses"},
	Example:      `{"startDate":"2026-11-01","endDate":"2026-11-30","category":"food","currency":"EUR","aggregate":true,"limit":10}`,
	Risk:         tool.Low,
	Confirmation: tool.ConfirmNever,
	Mutates:      false,
	Idempotent:   true,
	Limit:        &tool.Limit{Param: "limit", Default: 50, Max: 100},
	Needs:        tool.NeedStore,
	Errors:       []tool.Kind{},
	Timeout:      timeout,
	Run:          queryExpenses,
})

func queryExpenses(ctx context.Context, call *tool.Call, args queryArgs) (*queryResult, error) {
	days, err := spanOf(args.StartDate, args.EndDate)
	if err != nil {
		return nil, err
	}
	currency, err := currencyOr(call, args.Currency)
	if err != nil {
		return nil, err
	}
	within, err := args.amounts()
	if err != nil {
		return nil, err
	}
	q := days.query(args.Category)
	q.Text = args.Search
	for _, tag := range args.Tags {
		q.Where = append(q.Where, tool.Where("tags", tool.Has, tag))
	}
	res := &queryResult{Expenses: []expense{}}
	if args.MinAmount == nil && args.MaxAmount == nil && !args.Aggregate {
		return res.list(ctx, call, q, args)
	}
	args.Offset = max(args.Offset, 0)
	sums := totals{currency: currency}
	err = each(ctx, call, q, func(r tool.Record[stored]) error {
		amount, err := money.Parse(r.Value.Amount, r.Value.Currency)
		if err != nil || !within(amount) {
			return err
		}
		if res.TotalCount++; res.TotalCount > args.Offset && len(res.Expenses) < args.Limit {
			res.Expenses = append(res.Expenses, show(r))
		}
		sums.add(r.Value, amount)
		return nil
	})
	if err != nil {
		return nil, err
	}
	res.Total, res.Count = res.TotalCount, len(res.Expenses)
	res.Truncated = res.TotalCount > args.Offset+res.Count
	if args.Aggregate {
		res.Summary = sums.summary()
	}
	return res.message(), nil
}

// list fills in the expenses of a query that the store alone can answer.
func (res *queryResult) list(ctx context.Context, call *tool.Call, q tool.Query, args queryArgs) (*queryResult, error) {
	q.Limit = args.Limit
	found, counts, err := listing.Read(ctx, expenses, call.Store, q, args.Offset)
	if err != nil {
		return nil, err
	}
	for _, r := range found {
		res.Expenses = append(res.Expenses, show(r))
	}
	res.Count, res.Total, res.TotalCount, res.Truncated = counts.Count, counts.Total, counts.Total, counts.Truncated
	return res.message(), nil
}

func (res *queryResult) message() *queryResult {
	res.Message = fmt.Sprintf("%d expense(s) found.", res.TotalCount)
	if res.Count < res.TotalCount {
		res.Message = fmt.Sprintf("%d of %d expense(s); set offset, or narrow the days, to see others.", res.Count, res.TotalCount)
	}
	return res
}

// amounts returns the function that reports whether an amount is within the bounds.
func (args queryArgs) amounts() (func(money.Amount) bool, error) {
	var bounds [2]money.Amount
	for i, n := range []*tool.Number{args.MinAmount, args.MaxAmount} {
		if n == nil {
			continue
		}
		var err error
		if bounds[i], err = money.Number(*n); err != nil {
			return nil, tool.Fail(tool.ValidationError, "%s: %s", []string{"minAmount", "maxAmount"}[i], tool.AsError(err).Msg)
		}
	}
	return func(a money.Amount) bool {
		return (args.MinAmount == nil || a.Compare(bounds[0]) >= 0) && (args.MaxAmount == nil || a.Compare(bounds[1]) <= 0)
	}, nil
}
