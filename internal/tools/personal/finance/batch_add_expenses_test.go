package finance

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestBatchAddExpenses(t *testing.T) {
	call := ann(t)
	const one = `{"date":"2026-11-20","amount":0.1,"currency":"EUR","category":"food","description":"one"}`
	got := play[batchResult](t, call, "batch_add_expenses",
		`{"expenses":[`+one+`,{"date":"2026-11-21","amount":0.2,"currency":"EUR","category":"food","description":"two"}]}`)
	if got.AddedCount != 2 || got.TotalAmount == nil || *got.TotalAmount != "0.30" || got.TotalByCurrency["EUR"] != "0.30" ||
		got.TotalExpenses != 2 || got.Results != nil || got.Message != "Added 2 expense(s)." {
		t.Errorf("result %+v", got)
	}
	const dollar = `{"amount":5,"currency":"USD","category":"travel","description":"bus"}`
	mixed, notes := noted[batchResult](t, call, "batch_add_expenses", `{"expenses":[`+one+`,`+dollar+`]}`)
	if mixed.TotalAmount != nil || mixed.TotalByCurrency["EUR"] != "0.10" || mixed.TotalByCurrency["USD"] != "5.00" || len(notes) != 1 {
		t.Errorf("of two currencies: %+v, notes %q", mixed, notes)
	}
	bad := `[` + one + `,{"amount":-1,"category":"food","description":"x"},{"amount":"x"},7,{"amount":1,"category":"fun","description":"x"}]`
	full := strings.Repeat(one+",", 99)
	tooltest.Run(t, Set, "batch_add_expenses", call, []tooltest.Case{
		{
			Name:    "all or none",
			Args:    `{"expenses":` + bad + `}`,
			Fails:   tool.ValidationError,
			Message: "item 1 (counted from 0): amount: -1 is negative",
		},
		{
			Name:    "the last of 100",
			Args:    `{"expenses":[` + full + `{"amount":1,"category":"food","description":""}]}`,
			Fails:   tool.ValidationError,
			Message: "item 99 (counted from 0): description",
		},
		{Name: "too many", Args: `{"expenses":[` + full + one + `,` + one + `]}`, Fails: tool.ValidationError, Message: "not 101"},
		{Name: "empty", Args: `{"expenses":[]}`, Fails: tool.ValidationError, Message: "1 to 100"},
		{Name: "no list", Args: `{"expenses":"x"}`, Fails: tool.ValidationError, Message: "expenses"},
	})
	each := play[batchResult](t, call, "batch_add_expenses", `{"atomic":false,"timezone":"UTC","expenses":`+bad+`}`)
	var statuses []string
	for _, o := range each.Results {
		statuses = append(statuses, o.Status)
	}
	if diff := cmp.Diff([]string{"success", "error", "error", "error", "error"}, statuses); diff != "" || each.Count != 1 ||
		each.TotalExpenses != 5 {
		t.Errorf("each by itself: %+v (-want +got):\n%s", each, diff)
	}
}
