package finance

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestQueryExpenses(t *testing.T) {
	call := ann(t)
	spend(t, call, "2026-11-01", "10.10", "EUR", "food", `,"tags":["a","b"],"notes":"café"`)
	spend(t, call, "2026-11-03", "20.20", "EUR", "travel", `,"tags":["a"]`)
	spend(t, call, "2026-11-02", "1000", "JPY", "food", "")
	spend(t, call, "0001-01-01", "0", "EUR", "other", "")
	for args, want := range map[string]string{
		`{}`:                           "travel food food other",
		`{"startDate":"2026-11-02"}`:   "travel food",
		`{"endDate":"2026-11-02"}`:     "food food other",
		`{"category":"food"}`:          "food food",
		`{"minAmount":20.2}`:           "travel food",
		`{"maxAmount":20.19}`:          "food other",
		`{"minAmount":20.2000000001}`:  "food",
		`{"search":"CAFE"}`:            "food",
		`{"search":"trav"}`:            "travel",
		`{"search":"%' OR 1=1 --"}`:    "",
		`{"tags":["a"]}`:               "travel food",
		`{"tags":["a","b"]}`:           "food",
		`{"offset":1,"category":""}`:   "food food other",
		`{"offset":9}`:                 "",
		`{"tags":["\"] OR 1=1 --"]}`:   "",
		`{"startDate":"9999-12-31"}`:   "",
		`{"endDate":"0001-01-01"}`:     "other",
		`{"search":"food","offset":1}`: "food",
	} {
		args = args[:len(args)-1] + `,"limit":50}`
		args = strings.Replace(args, "{,", "{", 1)
		if strings.Contains(args, `"category":""`) {
			args = strings.Replace(args, `,"category":""`, "", 1)
		}
		got := play[queryResult](t, call, "query_expenses", args)
		var found []string
		for _, e := range got.Expenses {
			found = append(found, e.Category)
		}
		if list := strings.Join(found, " "); list != want || got.Count != len(found) || got.Truncated || got.Summary != nil {
			t.Errorf("%s: %q of %d, want %q", args, list, got.Total, want)
		}
	}
	if got := play[queryResult](t, call, "query_expenses", `{"limit":1}`); got.Count != 1 || got.TotalCount != 4 || got.Total != 4 ||
		!got.Truncated || !strings.HasPrefix(got.Message, "1 of 4 expense(s)") {
		t.Errorf("one of four: %+v", got)
	}
	tooltest.Run(t, Set, "query_expenses", call, []tooltest.Case{
		{
			Name:    "days",
			Args:    `{"startDate":"2026-11-02","endDate":"2026-11-01"}`,
			Fails:   tool.ValidationError,
			Message: "startDate 2026-11-02 is after endDate 2026-11-01",
		},
		{Name: "day", Args: `{"endDate":"soon"}`, Fails: tool.ValidationError, Message: "endDate"},
		{Name: "amount", Args: `{"minAmount":-1}`, Fails: tool.ValidationError, Message: "minAmount: -1 is negative"},
		{Name: "currency", Args: `{"currency":"gold"}`, Fails: tool.ValidationError, Message: "currency"},
		{Name: "category", Args: `{"category":"fun"}`, Fails: tool.ValidationError, Message: "category"},
		{Name: "sums", Args: `{"aggregate":true,"currency":"EUR","limit":1,"startDate":"2026-11-01"}`,
			Check: func(t *testing.T, res tool.Result) {
				const want = `"summary":{"averageExpense":15.15,"currency":"EUR","dateRange":{"earliest":"2026-11-01","latest":"2026-11-03"},"grandTotalEUR":30.30,"totalByCategory":{"food":10.10,"travel":20.20},"totalByCurrency":{"EUR":30.30,"JPY":1000}}`
				if !strings.Contains(string(res.Value), want) {
					t.Errorf("result %s, want %s", res.Value, want)
				}
			}},
	})
	call.User = "bob"
	tooltest.Run(t, Set, "query_expenses", call, []tooltest.Case{{
		Name: "nothing of others", Args: `{"aggregate":true,"limit":5}`,
		Want: `{"message":"0 expense(s) found.","count":0,"totalCount":0,"total":0,"truncated":false,"expenses":[],
			"summary":{"averageExpense":0,"currency":"TRY","dateRange":{"earliest":null,"latest":null},"grandTotalTRY":0,"totalByCategory":{},"totalByCurrency":{}}}`,
	}})
}
