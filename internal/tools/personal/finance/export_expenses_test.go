package finance

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestExportExpenses(t *testing.T) {
	call := ann(t)
	call.Files = tooltest.Files{}
	for _, text := range []string{"plain", "=1+1", "+49 30", "-2", "@SUM(A1)", "\\t=1", " =1", "＝1", "a,\\\"b\\\"\\nc"} {
		play[addResult](t, call, "add_expense", `{"date":"2026-11-20","amount":1,"currency":"EUR","category":"food","description":"x","notes":"`+
			text+`","paymentMethod":"=cmd","tags":["=a"]}`)
	}
	spend(t, call, "2026-12-01", "2", "USD", "travel", "")
	got := play[exportResult](t, call, "export_expenses", `{"format":"csv","outputPath":"out/e.csv","endDate":"2026-11-30"}`)
	if got.Path != "out/e.csv" || got.ExpenseCount != 9 || got.Format != "csv" || !strings.Contains(got.Message, "9 expense(s) to out/e.csv") {
		t.Errorf("result %+v", got)
	}
	rows, err := csv.NewReader(strings.NewReader(read1(t, call, got.Path))).ReadAll()
	if err != nil || len(rows) != 10 ||
		strings.Join(rows[0], " ") != "id date amount currency category description paymentMethod tags notes source createdAt" {
		t.Fatalf("%d rows, %v: %q", len(rows), err, rows)
	}
	want := []string{"a,\"b\"\nc", "'＝1", "' =1", "'\t=1", "'@SUM(A1)", "'-2", "'+49 30", "'=1+1", "plain"}
	for i, row := range rows[1:] {
		if row[8] != want[i] || row[6] != "'=cmd" || row[7] != "'=a" || row[2] != "1.00" || row[3] != "EUR" {
			t.Errorf("row %d: %q, want the notes %q", i, row, want[i])
		}
	}
	got = play[exportResult](t, call, "export_expenses", `{"format":"json","category":"travel"}`)
	var list []expense
	if err := json.Unmarshal([]byte(read1(t, call, got.Path)), &list); err != nil || len(list) != 1 || list[0].Amount != "2.00" ||
		got.Path != "expenses-20261123-223000.json" {
		t.Errorf("%s: %+v, %v", got.Path, list, err)
	}
	call.User = "bob"
	if got := play[exportResult](t, call, "export_expenses", `{"format":"json","outputPath":"none.json"}`); got.ExpenseCount != 0 ||
		read1(t, call, "none.json") != "[]\n" {
		t.Errorf("nothing of others: %+v", got)
	}
	tooltest.Run(t, Set, "export_expenses", call, []tooltest.Case{
		{Name: "format", Args: `{"format":"xlsx"}`, Fails: tool.ValidationError, Message: "format"},
		{Name: "outside", Args: `{"format":"csv","outputPath":"../e.csv"}`, Fails: tool.PathNotAllowed},
		{Name: "absolute", Args: `{"format":"csv","outputPath":"/etc/e.csv"}`, Fails: tool.PathNotAllowed},
	})
}

func read1(t *testing.T, call tool.Call, path string) string {
	t.Helper()
	f, err := call.Files.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
