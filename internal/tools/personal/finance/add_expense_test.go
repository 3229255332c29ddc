package finance

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestAddExpense(t *testing.T) {
	call := ann(t)
	got := play[addResult](t, call, "add_expense",
		`{"date":"2026-11-20","amount":12.5,"currency":"eur","category":"food","description":" Lunch ","paymentMethod":"card","tags":["work"," work ",""],"notes":"with Bob"}`)
	want := addResult{Success: true, TotalExpenses: 1, Message: "Expense added: Lunch, 12.50 EUR on 2026-11-20.", Expense: expense{
		Date: "2026-11-20", Amount: "12.50", Currency: "EUR", Category: "food", Description: "Lunch", Source: "manual", PaymentMethod: "card",
		Tags: []string{"work"}, Notes: "with Bob",
	}}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(expense{}, "ID", "CreatedAt")); diff != "" || len(got.Expense.ID) != 12 ||
		got.Expense.CreatedAt == "" {
		t.Errorf("result %+v (-want +got):\n%s", got, diff)
	}
	const least = `{"amount":1,"category":"other","description":"x"`
	if got, notes := noted[addResult](t, call, "add_expense", least+`}`); got.Expense.Currency != "TRY" || got.Expense.Date != "2026-11-23" ||
		got.TotalExpenses != 2 || len(notes) != 1 {
		t.Errorf("defaults: %+v, notes %q", got, notes)
	}
	if got, notes := noted[addResult](t, call, "add_expense", least+`,"timezone":"Europe/Istanbul"}`); got.Expense.Date != "2026-11-24" ||
		notes != nil {
		t.Errorf("in Istanbul: %+v, notes %q", got, notes)
	}
	call.Settings.Currency = "CHF"
	if got := play[addResult](t, call, "add_expense", least+`,"date":"2026-11-23T23:59+03:00"}`).Expense; got.Currency != "CHF" ||
		got.Date != "2026-11-23" {
		t.Errorf("with the operator's currency: %+v", got)
	}
	bad := func(name, members, says string) tooltest.Case {
		return tooltest.Case{
			Name:    name,
			Args:    `{"category":"food","description":"x",` + members + `}`,
			Fails:   tool.ValidationError,
			Message: says,
		}
	}
	tooltest.Run(t, Set, "add_expense", call, []tooltest.Case{
		bad("no amount", `"date":"2026-11-20"`, "amount"),
		bad("negative", `"amount":-1`, "amount: -1 is negative"),
		bad("huge", `"amount":1e15`, "amount: 1e15 is too large"),
		bad("exponent", `"amount":1e99999`, "amount"),
		bad("30 decimals", `"amount":0.123456789012345678901234567891,"currency":"EUR"`, "has 30 decimals, and EUR has 2"),
		bad("half a yen", `"amount":0.5,"currency":"JPY"`, "JPY has 0"),
		bad("text", `"amount":"a lot"`, "amount"),
		bad("currency", `"amount":1,"currency":"QQQ"`, "currency: \"QQQ\" is no currency"),
		bad("a word for a day", `"amount":1,"date":"yesterday"`, "date: \"yesterday\" is no date"),
		bad("year 0", `"amount":1,"date":"0000-01-01"`, "YYYY-MM-DD"),
		bad("leap second", `"amount":1,"date":"2026-06-30T23:59:60"`, "YYYY-MM-DD"),
		bad("no such day", `"amount":1,"date":"2026-02-29"`, "YYYY-MM-DD"),
		bad("zone", `"amount":1,"timezone":"Mars/Base"`, "timezone"),
		bad("tags", `"amount":1,"tags":["`+strings.Repeat("x", 101)+`"]`, "tags"),
		bad("NUL", `"amount":1,"notes":"a\u0000b"`, "NUL"),
		{Name: "category", Args: `{"amount":1,"category":"fun","description":"x"}`, Fails: tool.ValidationError, Message: "category"},
		{
			Name:    "blank",
			Args:    `{"amount":1,"category":"food","description":"  "}`,
			Fails:   tool.ValidationError,
			Message: "description is missing or blank",
		},
		{Name: "1 MB", Args: `{"amount":1,"category":"food","description":"` + strings.Repeat("x", 1<<20) + `"}`, Fails: tool.ValidationError},
		{Name: "emoji and right-to-left", Args: `{"amount":0,"category":"food","description":"🍞 לחם","date":"9999-12-31"}`,
			Check: func(t *testing.T, res tool.Result) {
				if !strings.Contains(string(res.Value), `"date":"9999-12-31","amount":0.00`) || !strings.Contains(string(res.Value), "🍞 לחם") {
					t.Errorf("result %s", res.Value)
				}
			}},
		{Name: "largest", Args: `{"amount":999999999999999.99,"currency":"USD","category":"housing","description":"x"}`,
			Check: func(t *testing.T, res tool.Result) {
				if !strings.Contains(string(res.Value), `"amount":999999999999999.99,`) {
					t.Errorf("result %s", res.Value)
				}
			}},
	})
}
