// Package finance holds the tools for a person's expenses.
package finance

import (
	"context"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// Set is every tool in this package; each file adds its own.
var Set = tool.NewSet("Finance", "finance")

const timeout = 30 * time.Second

// The sources of an expense.
const (
	entered = "manual"
	receipt = "receipt"
)

// fallback is the currency of an expense without one, where the operator set none.
const fallback = "TRY"

// stored is an expense in the store. Its fields keep the order of the CSV columns.
type stored struct {
	Date          string      `json:"date"`
	Amount        tool.Number `json:"amount"`
	Currency      string      `json:"currency"`
	Category      string      `json:"category"`
	Description   string      `json:"description" store:"search"`
	PaymentMethod string      `json:"paymentMethod,omitempty"`
	Tags          []string    `json:"tags,omitempty"`
	Notes         string      `json:"notes,omitempty" store:"search"`
	Source        string      `json:"source"`
}

var expenses = tool.NewCollection[stored]("expenses")

// expense is an expense as a model sees it.
type expense struct {
	ID            string      `json:"id" doc:"For the expenseId of delete_expense."`
	Date          string      `json:"date"`
	Amount        tool.Number `json:"amount"`
	Currency      string      `json:"currency"`
	Category      string      `json:"category"`
	Description   string      `json:"description"`
	Source        string      `json:"source" enum:"manual,receipt"`
	CreatedAt     string      `json:"createdAt"`
	PaymentMethod string      `json:"paymentMethod,omitempty"`
	Tags          []string    `json:"tags,omitempty"`
	Notes         string      `json:"notes,omitempty"`
}

func show(r tool.Record[stored]) expense {
	v := r.Value
	return expense{
		ID: r.ID, Date: v.Date, Amount: v.Amount, Currency: v.Currency, Category: v.Category, Description: v.Description, Source: v.Source,
		CreatedAt: r.CreatedAt.Format(time.RFC3339), PaymentMethod: v.PaymentMethod, Tags: v.Tags, Notes: v.Notes,
	}
}

// label names an expense in a message.
func (v stored) label() string {
	return textcut.Excerpt(v.Description, 80) + ", " + string(v.Amount) + " " + v.Currency + " on " + v.Date
}

// find returns an expense by its id.
func find(ctx context.Context, call *tool.Call, id string) (tool.Record[stored], error) {
	r, err := expenses.Get(ctx, call.Store, strings.TrimSpace(id))
	if e := tool.AsError(err); e != nil && e.Kind == tool.NotFound {
		return r, tool.Fail(tool.NotFound, "Expense not found: %s; query_expenses shows the expenses with their ids", textcut.Excerpt(id, 64))
	}
	return r, err
}

// count returns the number of expenses that the person has stored before the call.
func count(ctx context.Context, call *tool.Call) (int, error) {
	groups, err := expenses.Aggregate(ctx, call.Store, tool.AggregateQuery{})
	if err != nil || len(groups) == 0 {
		return 0, err
	}
	return groups[0].Count, nil
}

// page is the number of expenses that one query reads.
const page = tool.MaxPage

// each calls visit with the expenses that a query selects, in its order.
func each(ctx context.Context, call *tool.Call, q tool.Query, visit func(tool.Record[stored]) error) error {
	q.Limit = page
	for {
		found, err := expenses.Query(ctx, call.Store, q)
		if err != nil {
			return err
		}
		for _, r := range found.List {
			if err := visit(r); err != nil {
				return err
			}
		}
		if found.Next == "" {
			return nil
		}
		q.Cursor = found.Next
	}
}
