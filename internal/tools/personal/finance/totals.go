package finance

import (
	"slices"
	"time"

	"github.com/helve-dev/helve/internal/lib/money"
	"github.com/helve-dev/helve/tool"
)

// totals sums expenses: all by currency, those of one currency by category.
type totals struct {
	currency string // the one currency

	count      int
	byCurrency money.Sums
	counted    int // of the one currency
	byCategory money.Sums
	biggest    []big
	first      string // day of the earliest expense
	last       string
	firstOwn   string // of the one currency
	lastOwn    string
}

// big is an expense among the biggest.
type big struct {
	Date        string      `json:"date"`
	Amount      tool.Number `json:"amount"`
	Currency    string      `json:"currency"`
	Description string      `json:"description"`
	Category    string      `json:"category"`

	exact money.Amount
}

// maxBiggest is the number of biggest expenses that are kept.
const maxBiggest = 5

func (t *totals) add(v stored, amount money.Amount) {
	t.count++
	t.byCurrency.Add(v.Currency, amount)
	widen(&t.first, &t.last, v.Date)
	if v.Currency != t.currency {
		return
	}
	t.counted++
	t.byCategory.Add(v.Category, amount)
	widen(&t.firstOwn, &t.lastOwn, v.Date)
	at, _ := slices.BinarySearchFunc(t.biggest, amount, func(b big, a money.Amount) int {
		if b.exact.Compare(a) < 0 {
			return 1
		}
		return -1
	})
	if at < maxBiggest {
		t.biggest = slices.Insert(t.biggest, at, big{v.Date, v.Amount, v.Currency, v.Description, v.Category, amount})
		t.biggest = t.biggest[:min(len(t.biggest), maxBiggest)]
	}
}

func widen(first, last *string, date string) {
	if *first == "" || date < *first {
		*first = date
	}
	*last = max(*last, date)
}

// sum returns the sum of the one currency.
func (t *totals) sum() money.Amount { return t.byCurrency.Of(t.currency) }

// daily returns the average of the days from the first to the last with an expense of the
// one currency.
func (t *totals) daily() money.Amount {
	first, _ := time.Parse(time.DateOnly, t.firstOwn) // it was stored as a day
	last, _ := time.Parse(time.DateOnly, t.lastOwn)
	if t.counted == 0 {
		return money.Amount{}
	}
	const secondsOfDay = 24 * 60 * 60
	return t.sum().Over(int((last.Unix()-first.Unix())/secondsOfDay) + 1)
}

// grandTotal returns the name of the field with the sum of the one currency.
func (t *totals) grandTotal() string { return "grandTotal" + t.currency }

// summary returns the summary of query_expenses.
func (t *totals) summary() map[string]any {
	earliest, latest := any(nil), any(nil)
	if t.count > 0 {
		earliest, latest = t.first, t.last
	}
	return map[string]any{
		"totalByCategory": t.byCategory.Numbers(),
		"totalByCurrency": t.byCurrency.Numbers(),
		t.grandTotal():    t.sum().Number(),
		"averageExpense":  t.sum().Over(t.counted).Number(),
		"currency":        t.currency,
		"dateRange":       map[string]any{"earliest": earliest, "latest": latest},
	}
}
