package units

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/lib/calc"
)

// Every unit is found by its symbol and all its names, and by nothing else.
func TestUnitTable(t *testing.T) {
	for category, rows := range table {
		bases := 0
		for _, row := range rows {
			u := row.unit(category)
			if u.factor == nil || u.factor.Sign() <= 0 || strings.Contains(row.size, "+") && u.offset == nil {
				t.Errorf("%s: size %q cannot be read", row.symbol, row.size)
				continue
			}
			if u.offset == nil && !u.inverse && u.factor.Cmp(big.NewRat(1, 1)) == 0 {
				bases++
			}
			found, err := Find(row.symbol, "")
			if err != nil || found.Category != category || found.symbol != row.symbol {
				t.Errorf("%s is found as %+v, %v", row.symbol, found, err)
			}
		}
		if bases == 0 && category != "volume" { // cubic metres come from metres
			t.Errorf("%s has no base unit", category)
		}
	}
	for name, found := range known.names {
		for _, u := range found {
			if len(found) > 1 && name != "mw" && name != "kn" {
				t.Errorf("%q is ambiguous: %s (%s)", name, u.symbol, u.Category)
			}
		}
	}
}

func FuzzFindUnit(f *testing.F) {
	for _, seed := range []string{
		"km", "Square Feet", "MB/s", "°C", "miles per hour", "cu. in", "m^3", "ſ per K", "/", "sq sq m", "2", "l/100km",
	} {
		f.Add(seed, 1.5)
	}
	kelvin, err := Find("K", "")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, name string, value float64) {
		u, err := Find(name, "")
		if err != nil || math.IsNaN(value) || math.IsInf(value, 0) {
			return
		}
		to := &Unit{Category: u.Category, factor: big.NewRat(1, 1)}
		if u.Category == kelvin.Category {
			to = kelvin
		}
		there, err := Convert(calc.RatOf(value, -1), u, to)
		if err != nil {
			return
		}
		if back, err := Convert(there, to, u); err != nil || back.Cmp(calc.RatOf(value, -1)) != 0 {
			t.Errorf("%v %s comes back as %v, %v", value, name, back, err)
		}
	})
}
