package finance

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/internal/lib/money"
	"github.com/helve-dev/helve/tool"
)

type summaryArgs struct {
	Period    string `json:"period,omitempty" doc:"The days to sum up; this_month if it is left out." enum:"today,this_week,this_month,last_month,this_year,all_time"`
	StartDate string `json:"startDate,omitempty" doc:"The first day in place of that of the period, YYYY-MM-DD."`
	EndDate   string `json:"endDate,omitempty" doc:"The last day in place of that of the period, YYYY-MM-DD."`
	Currency  string `json:"currency,omitempty" doc:"Currency of all but totalByCurrency; the default currency if it is left out."`
	Timezone  string `json:"timezone,omitempty" doc:"IANA time zone whose today counts; UTC if it is left out."`
}

type summaryResult struct {
	Period struct {
		Name      string `json:"name"`
		StartDate string `json:"startDate"`
		EndDate   string `json:"endDate"`
	} `json:"period"`
	Summary  map[string]any `json:"summary" doc:"totalExpenses, the number of expenses; totalByCurrency; and of one currency grandTotal followed by its code, dailyAverage, topCategories with amount and percentage, and biggestExpenses."`
	Insights []string       `json:"insights"`
	Message  string         `json:"message"`
}

// share is the part of a category.
type share struct {
	Category   string      `json:"category"`
	Amount     tool.Number `json:"amount"`
	Percentage tool.Number `json:"percentage"`
}

// maxTop is the number of categories of a summary.
const maxTop = 5

var _ = tool.Add(Set, tool.Spec[summaryArgs, *summaryResult]{
	Name: "expense_summary",
	Description: "Sum up the person's expenses of a period, to answer what was spent and on what, and return totals, daily average, " +
		"top categories and the biggest expenses.",
	Tags:         []string{"summary", "total", "statistics", "analysis", "budget"},
	Example:      `{"startDate":"2026-11-01","endDate":"2026-11-30","currency":"EUR","timezone":"Europe/Istanbul"}`,
	Risk:         tool.Low,
	Confirmation: tool.ConfirmNever,
	Mutates:      false,
	Idempotent:   true,
	Needs:        tool.NeedStore,
	Errors:       []tool.Kind{},
	Timeout:      timeout,
	Run:          expenseSummary,
})

func expenseSummary(ctx context.Context, call *tool.Call, args summaryArgs) (*summaryResult, error) {
	res := &summaryResult{}
	days, err := args.days(call, res)
	if err != nil {
		return nil, err
	}
	currency, err := currencyOr(call, args.Currency)
	if err != nil {
		return nil, err
	}
	sums := totals{currency: currency}
	err = each(ctx, call, days.query(""), func(r tool.Record[stored]) error {
		amount, err := money.Parse(r.Value.Amount, r.Value.Currency)
		if err != nil {
			return err
		}
		sums.add(r.Value, amount)
		return nil
	})
	if err != nil {
		return nil, err
	}
	sums.show(res)
	return res, nil
}

// days returns the days to sum up, and names them in the result.
func (args summaryArgs) days(call *tool.Call, res *summaryResult) (span, error) {
	now, err := today(call, args.Timezone)
	if err != nil {
		return span{}, err
	}
	name := args.Period
	if name == "" {
		name = thisMonth
	}
	days, err := periodOf(name, now)
	if err != nil {
		return days, err
	}
	own, err := spanOf(args.StartDate, args.EndDate)
	if err != nil {
		return days, err
	}
	if own.start == "" || own.end == "" {
		noteZone(call, args.Timezone)
	}
	if own.start != "" || own.end != "" {
		name = custom
	}
	if own.start != "" {
		days.start = own.start
	}
	if own.end != "" {
		days.end = own.end
	}
	if days.start > days.end {
		return days, tool.Fail(tool.ValidationError, "the period begins on %s and ends on %s; give startDate and endDate both",
			days.start, days.end)
	}
	res.Period.Name, res.Period.StartDate, res.Period.EndDate = name, days.start, days.end
	return days, nil
}

// show fills in the summary.
func (t *totals) show(res *summaryResult) {
	sum, top := t.sum(), []share{}
	for i, category := range t.byCategory.Keys() {
		if i == maxTop {
			break
		}
		part := t.byCategory.Of(category)
		top = append(top, share{category, part.Number(), part.Percent(sum).Number()})
	}
	biggest := t.biggest
	if biggest == nil {
		biggest = []big{}
	}
	res.Summary = map[string]any{
		"totalExpenses": t.count, t.grandTotal(): sum.Number(), "currency": t.currency, "dailyAverage": t.daily().Number(),
		"totalByCurrency": t.byCurrency.Numbers(), "topCategories": top, "biggestExpenses": biggest,
	}
	res.Message = fmt.Sprintf("%d expense(s) from %s to %s, %s %s in total.",
		t.count, res.Period.StartDate, res.Period.EndDate, sum.Number(), t.currency)
	res.Insights = []string{"No expenses recorded in this period."}
	if t.count == 0 {
		return
	}
	res.Insights = []string{fmt.Sprintf("%d expense(s) in %d currency(ies).", t.count, len(t.byCurrency.Keys()))}
	if len(top) > 0 {
		res.Insights = append(res.Insights, fmt.Sprintf("Most was spent on %s: %s %s, %s %% of all in %s.",
			top[0].Category, top[0].Amount, t.currency, top[0].Percentage, t.currency))
	}
	if t.counted < t.count {
		res.Insights = append(res.Insights, fmt.Sprintf("%d expense(s) in other currencies count in totalByCurrency only.", t.count-t.counted))
	}
}
