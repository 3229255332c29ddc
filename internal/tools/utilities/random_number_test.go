package utilities

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// drawn checks how many numbers there are and that each is in [low, high).
func drawn(count int, low, high float64, integer bool) func(*testing.T, tool.Result) {
	return func(t *testing.T, res tool.Result) {
		t.Helper()
		var got struct {
			Number   *float64
			Numbers  []float64
			Count    int
			Min, Max float64
		}
		if err := json.Unmarshal(res.Value, &got); err != nil {
			t.Fatal(err)
		}
		if count == 1 {
			if got.Number == nil || got.Numbers != nil {
				t.Fatalf("%s, want one number", res.Value)
			}
			got.Numbers, got.Count = []float64{*got.Number}, 1
		}
		if len(got.Numbers) != count || got.Count != count {
			t.Errorf("%d numbers, count %d, want %d", len(got.Numbers), got.Count, count)
		}
		for _, n := range got.Numbers {
			if n < low || n >= high || n < got.Min || n >= got.Max || integer && n != math.Trunc(n) {
				t.Errorf("%v, want it in [%v, %v), whole: %v", n, low, high, integer)
			}
		}
	}
}

func TestRandomNumber(t *testing.T) {
	tooltest.Run(t, Set, "random_number", tool.Call{}, []tooltest.Case{
		{Name: "max is exclusive", Args: `{"min":1,"max":6}`, Check: noted("max is exclusive: the whole numbers from 1 to 5 were drawn from.")},
		{Name: "any numbers", Args: `{"min":1,"max":6,"integer":false}`, Check: noted()},
		{Name: "defaults", Args: `{}`, Check: drawn(1, 0, 100, true)},
		{Name: "range", Args: `{"min":50,"max":60}`, Check: drawn(1, 50, 60, true)},
		{Name: "only one", Args: `{"min":5,"max":6}`, Want: `{"number":5,"min":5,"max":6}`},
		{Name: "zero is a number", Args: `{"min":0,"max":1}`, Want: `{"number":0,"min":0,"max":1}`},
		{Name: "below zero", Args: `{"min":-3,"max":-1,"count":20}`, Check: drawn(20, -3, -1, true)},
		{Name: "fractions as bounds", Args: `{"min":1.5,"max":3.5,"count":20}`, Check: drawn(20, 2, 4, true)},
		{Name: "any", Args: `{"min":0,"max":1,"integer":false,"count":100}`, Check: drawn(100, 0, 1, false)},
		{Name: "wide", Args: `{"min":-1.7e308,"max":1.7e308,"integer":false,"count":100}`, Check: drawn(100, -1.7e308, 1.7e308, false)},
		{Name: "narrow", Args: `{"min":1,"max":1.0000000000000002,"integer":false,"count":100}`, Check: drawn(100, 1, 1.0000000000000002, false)},
		{Name: "largest", Args: `{"min":-9007199254740992,"max":9007199254740992,"count":100}`, Check: drawn(100, -1<<53, 1<<53, true)},
		{Name: "most", Args: `{"count":5000}`, Check: drawn(100, 0, 100, true)},
		{Name: "least", Args: `{"count":-5}`, Check: drawn(1, 0, 100, true)},
		{Name: "upside down", Args: `{"min":10,"max":5}`, Fails: tool.ValidationError, Message: "min must be less than max"},
		{Name: "empty", Args: `{"min":50,"max":50}`, Fails: tool.ValidationError, Message: "min must be less than max"},
		{Name: "nothing whole", Args: `{"min":1.2,"max":1.8}`, Fails: tool.ValidationError, Message: "No whole number"},
		{Name: "not exact", Args: `{"min":0,"max":1e16}`, Fails: tool.ValidationError, Message: "9007199254740992"},
		{Name: "type", Args: `{"min":"1","max":2}`, Fails: tool.ValidationError, Message: "min"},
	})
}
