package calc

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func FuzzCalculate(f *testing.F) {
	for _, seed := range []string{
		"2 + 3 * 4", "15% of 200", "-2^2!", "1,000.5e-3", "max(1, (2,000))", "√2²", "10 % -3", "Math.log(8, 2)", "9**9**9", "0x1Fx2", "50% off π",
		"1e308*1e308", "round(-2.5, -3)",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, expression string) {
		q, err := Evaluate(t.Context(), expression)
		if err != nil {
			if kind := tool.AsError(err).Kind; kind != tool.ValidationError {
				t.Errorf("%q fails with %s: %v", expression, kind, err)
			}
			return
		}
		for _, places := range []int{0, DefaultPlaces, MaxPlaces} {
			text, _ := q.Decimal(places)
			if text == "0" && q.sign() != 0 {
				t.Errorf("%q = 0 with %d decimals, but it is not 0", expression, places)
			}
			n, err := strconv.ParseFloat(text, 64)
			if err != nil || math.IsInf(n, 0) || math.IsNaN(n) || !json.Valid([]byte(text)) || text == "-0" {
				t.Errorf("%q = %s, want a number", expression, text)
			}
			if plain := strings.ReplaceAll(Grouped(text), ",", ""); plain != text {
				t.Errorf("%q = %s, formatted %s", expression, text, Grouped(text))
			}
		}
	})
}
