package finance

import (
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestExpenseSummary(t *testing.T) {
	call := ann(t)
	spend(t, call, "2026-11-01", "0.10", "EUR", "food", "")
	spend(t, call, "2026-11-10", "0.20", "EUR", "food", "")
	spend(t, call, "2026-11-04", "0.70", "EUR", "travel", "")
	spend(t, call, "2026-11-04", "500", "USD", "housing", "")
	spend(t, call, "2026-10-31", "9", "EUR", "other", "")
	tooltest.Run(t, Set, "expense_summary", call, []tooltest.Case{
		{Name: "this month", Args: `{"currency":"EUR","timezone":"UTC"}`, Check: func(t *testing.T, res tool.Result) {
			for _, want := range []string{
				`"period":{"name":"this_month","startDate":"2026-11-01","endDate":"2026-11-30"}`,
				`"grandTotalEUR":1.00`, `"dailyAverage":0.10`, `"totalExpenses":4`, `"totalByCurrency":{"EUR":1.00,"USD":500.00}`,
				`"topCategories":[{"category":"travel","amount":0.70,"percentage":70.00},{"category":"food","amount":0.30,"percentage":30.00}]`,
				`"biggestExpenses":[{"date":"2026-11-04","amount":0.70,"currency":"EUR"`,
				`1 expense(s) in other currencies`,
			} {
				if !strings.Contains(string(res.Value), want) {
					t.Errorf("result %s, want %s", res.Value, want)
				}
			}
		}},
		{Name: "last month", Args: `{"period":"last_month","currency":"EUR"}`, Check: func(t *testing.T, res tool.Result) {
			if !strings.Contains(string(res.Value), `"grandTotalEUR":9.00`) || len(res.Notes) != 1 {
				t.Errorf("result %s, notes %q", res.Value, res.Notes)
			}
		}},
		{Name: "empty", Args: `{"period":"today","timezone":"UTC"}`,
			Want: `{"period":{"name":"today","startDate":"2026-11-23","endDate":"2026-11-23"},
			"summary":{"totalExpenses":0,"grandTotalTRY":0,"currency":"TRY","dailyAverage":0,"totalByCurrency":{},"topCategories":[],"biggestExpenses":[]},
			"insights":["No expenses recorded in this period."],"message":"0 expense(s) from 2026-11-23 to 2026-11-23, 0 TRY in total."}`},
		{Name: "own days", Args: `{"startDate":"2026-10-31","endDate":"2026-11-01","currency":"EUR"}`,
			Check: func(t *testing.T, res tool.Result) {
				if !strings.Contains(string(res.Value), `"name":"custom"`) || !strings.Contains(string(res.Value), `"grandTotalEUR":9.10`) {
					t.Errorf("result %s", res.Value)
				}
			}},
		{Name: "period", Args: `{"period":"ever"}`, Fails: tool.ValidationError, Message: "period"},
		{Name: "order", Args: `{"startDate":"2027-01-01"}`, Fails: tool.ValidationError, Message: "give startDate and endDate both"},
		{Name: "zone", Args: `{"timezone":"Mars"}`, Fails: tool.ValidationError, Message: "timezone"},
	})
}

func TestPeriodOf(t *testing.T) {
	sunday := time.Date(2026, time.March, 1, 23, 0, 0, 0, time.UTC)
	istanbul, err := time.LoadLocation("Europe/Istanbul")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		now  time.Time
		want span
	}{
		{"today", sunday, span{"2026-03-01", "2026-03-01"}},
		{"today", sunday.In(istanbul), span{"2026-03-02", "2026-03-02"}},
		{"this_week", sunday, span{"2026-02-23", "2026-03-01"}},
		{"this_week", sunday.In(istanbul), span{"2026-03-02", "2026-03-08"}},
		{"this_month", sunday, span{"2026-03-01", "2026-03-31"}},
		{"last_month", sunday, span{"2026-02-01", "2026-02-28"}},
		{"last_month", sunday.AddDate(0, -2, 0), span{"2025-12-01", "2025-12-31"}},
		{"this_year", sunday, span{"2026-01-01", "2026-12-31"}},
		{"all_time", sunday, span{"1970-01-01", "2026-03-01"}},
	} {
		if got, err := periodOf(tt.name, tt.now); err != nil || got != tt.want {
			t.Errorf("periodOf(%s, %s) = %v, %v, want %v", tt.name, tt.now, got, err, tt.want)
		}
	}
}

// TestBiggest: the biggest expenses of one currency are kept, of equal ones the first.
func TestBiggest(t *testing.T) {
	call := ann(t)
	for _, amount := range []string{"5", "1", "9", "3", "9", "7", "2"} {
		spend(t, call, "2026-11-20", amount, "EUR", "food", "")
	}
	type result struct {
		Summary struct {
			BiggestExpenses []big `json:"biggestExpenses"`
		} `json:"summary"`
	}
	var got []string
	for _, b := range play[result](t, call, "expense_summary", `{"currency":"EUR"}`).Summary.BiggestExpenses {
		got = append(got, string(b.Amount))
	}
	if list := strings.Join(got, " "); list != "9.00 9.00 7.00 5.00 3.00" {
		t.Errorf("biggest: %s", list)
	}
}
