package finance

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDeleteExpense(t *testing.T) {
	call := ann(t)
	id := spend(t, call, "2026-11-20", "3", "EUR", "food", "")
	spend(t, call, "2026-11-20", "4", "EUR", "travel", "")
	other := call
	other.User = "bob"
	const missing = "Expense not found: "
	tooltest.Run(t, Set, "delete_expense", other, []tooltest.Case{
		{Name: "another person's", Args: `{"expenseId":"` + id + `"}`, Fails: tool.NotFound, Message: missing + id + "; query_expenses"},
		{Name: "hostile", Args: `{"expenseId":"' OR 1=1 --"}`, Fails: tool.NotFound, Message: missing},
		{Name: "none", Args: `{}`, Fails: tool.ValidationError, Message: "expenseId"},
	})
	got := play[deleteResult](t, call, "delete_expense", `{"expenseId":"`+id+`"}`)
	if !got.Success || got.Deleted.ID != id || got.Deleted.Amount != "3.00" ||
		got.Message != "Expense deleted: food, 3.00 EUR on 2026-11-20." {
		t.Errorf("result %+v", got)
	}
	tooltest.Run(t, Set, "delete_expense", call, []tooltest.Case{{Name: "again", Args: `{"expenseId":"` + id + `"}`, Fails: tool.NotFound}})
	if left := play[queryResult](t, call, "query_expenses", `{"limit":5}`); left.Total != 1 || left.Expenses[0].Category != "travel" {
		t.Errorf("left: %+v", left)
	}
}
