package bench

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestGrowth(t *testing.T) {
	opts, gone := quick(t)
	opts.Calls = 600
	sheet, err := Scenario(bounded(t), "growth", opts)
	if err != nil {
		t.Fatal(err)
	}
	gone(4)
	if len(sheet.Rows) != 2 || sheet.Rows[0][0] != 300 || sheet.Rows[1][0] != 600 {
		t.Fatalf("rows %v, want those after 300 and 600 calls", sheet.Rows)
	}
	for _, row := range sheet.Rows {
		for i, v := range row[:len(row)-1] {
			if v <= 0 {
				t.Errorf("%s is %v, want more than 0", sheet.Columns[i], v)
			}
		}
	}
	const results, refused = 2, 7
	if last := sheet.Rows[1]; last[results] < 1 || last[results] > 600 || last[refused] != 0 {
		t.Errorf("%v messages hold the results of 600 calls and %v calls were refused, want 1 to 600 and none", last[results], last[refused])
	}
}

// TestGrown works out what each call and each message of results costs from the first and last row.
func TestGrown(t *testing.T) {
	s := &Sheet{
		Scenario: "growth",
		Columns:  []string{"calls", "calls/s", "messages of results", "broker MiB", "dispatcher MiB", "worker MiB", "caller MiB"},
	}
	s.Rows = [][]float64{{1 << 20, 9, 1 << 20, 10, 20, 30, 40}, {2 << 20, 9, 3 << 20, 20, 20, 33, 40}}
	s.grown()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Figures map[string]float64
		Rows    []map[string]float64
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{
		"broker_bytes_per_call": 10, "broker_bytes_per_message": 5, "dispatcher_bytes_per_call": 0, "worker_bytes_per_call": 3,
	} {
		if got.Figures[name] != want {
			t.Errorf("%s is %v, want %v", name, got.Figures[name], want)
		}
	}
	if len(got.Rows) != 2 || got.Rows[1]["broker MiB"] != 20 {
		t.Errorf("rows in JSON are %v", got.Rows)
	}
	var table strings.Builder
	if err := s.Table(&table); err != nil || !strings.Contains(table.String(), "broker MiB") || strings.Count(table.String(), "\n") != 9 {
		t.Errorf("the table is %v:\n%s", err, table.String())
	}
}
