package units

import (
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// maxUnitName limits the name of a unit, in bytes.
const maxUnitName = 64

// writing normalizes the spellings of a unit.
var writing = strings.NewReplacer(
	"℃", "°C", "℉", "°F", "²", "2", "³", "3", "^", "", "µ", "u", "μ", "u", "º", "°", "metre", "meter", "litre", "liter", "Metre", "meter",
	"Litre", "liter", "METRE", "METER", "LITRE", "LITER", "gramme", "gram", "Gramme", "Gram", "GRAMME", "GRAM", "·", "-", "′", "'", "″", "\"",
)

// Find finds a unit by symbol (m, MB), name (Meters, square feet) or composition (km/h,
// cm2). If it fails, its error lists the units of category, or all of them.
func Find(text, category string) (*Unit, error) {
	name := strings.Join(strings.Fields(writing.Replace(text)), " ")
	if name == "" || len(text) > maxUnitName {
		return nil, unknownUnit(text, category)
	}
	if u, err := simpleUnit(name); u != nil || err != nil {
		return u, err
	}
	lower := strings.ToLower(name)
	if u := powerUnit(name, lower); u != nil {
		return u, nil
	}
	if u, err := ratioUnit(name, lower); u != nil || err != nil {
		return u, err
	}
	return nil, unknownUnit(text, category)
}

// simpleUnit looks a unit up: first as written, because mW is not MW, then in lower
// case and in the singular. It returns nil if there is none.
func simpleUnit(name string) (*Unit, error) {
	if choices := ambiguousUnit(name); choices != "" {
		return nil, tool.Fail(tool.ValidationError, "Unit '%s' is ambiguous. Write it as one of: %s.", name, choices)
	}
	if u := known.symbols[name]; u != nil {
		return u, nil
	}
	if prefix, ok := strings.CutSuffix(name, "b"); ok && len(prefix) == 1 && strings.ContainsAny(prefix, "KMGTPE") {
		return nil, tool.Fail(tool.ValidationError, "Unit '%s' is ambiguous. Write %sB for bytes or %sbit for bits.", name, prefix, prefix)
	}
	lower := strings.ToLower(name)
	lower = strings.TrimSuffix(strings.ReplaceAll(strings.ReplaceAll(lower, ". ", " "), "degrees ", "degree "), ".")
	for _, country := range []string{"us", "uk", "imperial"} { // gal (US) is US gal
		if bare, found := strings.CutSuffix(lower, " ("+country+")"); found {
			lower = country + " " + bare
		}
	}
	for _, candidate := range []string{
		lower, strings.TrimSuffix(lower, "s"), strings.TrimPrefix(lower, "°"), strings.ReplaceAll(lower, "s ", " "),
	} {
		found := known.names[candidate]
		if len(found) > 1 {
			var symbols []string
			for _, u := range found {
				symbols = append(symbols, u.symbol+" ("+u.Category+")")
			}
			return nil, tool.Fail(tool.ValidationError, "Unit '%s' is ambiguous. Write it as one of: %s.", name, strings.Join(symbols, ", "))
		}
		if len(found) == 1 {
			return found[0], nil
		}
	}
	return nil, nil
}

// ambiguousUnit returns the possible meanings of a name for which people expect
// different units, or "".
func ambiguousUnit(name string) string {
	switch strings.TrimSuffix(name, "s") {
	case "ton", "Ton", "TON":
		return "t (metric tonne, 1000 kg), short ton (US, 907.18474 kg), long ton (UK, 1016.0469088 kg)"
	case "Cal", "Calorie": // with a capital letter some people mean food calories
		return "cal (4.184 J), kcal (food calorie, 4184 J)"
	}
	return ""
}

// powerUnit finds areas and volumes: square, sq or sq. before a length, cubic or cu, or
// a 2 or 3 after it.
func powerUnit(name, lower string) *Unit {
	for _, p := range []struct {
		category string
		prefixes []string
		suffix   string
		power    int
	}{
		{"area", []string{"square ", "sq. ", "sq "}, "2", 2},
		{"volume", []string{"cubic ", "cu. ", "cu "}, "3", 3},
	} {
		base, found := strings.CutSuffix(name, p.suffix)
		for _, prefix := range p.prefixes {
			if strings.HasPrefix(lower, prefix) {
				base, found = name[len(prefix):], true
			}
		}
		if !found {
			continue
		}
		length, err := simpleUnit(base)
		if err != nil || length == nil || length.Category != "length" {
			return nil
		}
		factor := big.NewRat(1, 1)
		for range p.power {
			factor.Mul(factor, length.factor)
		}
		return &Unit{Category: p.category, symbol: length.symbol + p.suffix, factor: factor}
	}
	return nil
}

// ratios lists the categories of units that are ratios.
var ratios = map[[2]string]string{
	{"length", "time"}: "speed", {"data", "time"}: "data rate",
	{"length", "volume"}: "fuel economy", {"energy", "time"}: "power",
}

// ratioUnit finds km/h, feet per second, MB/s.
func ratioUnit(name, lower string) (*Unit, error) {
	over, under, found := strings.Cut(name, "/")
	if !found {
		at := strings.Index(lower, " per ")
		if at < 0 || len(lower) != len(name) {
			return nil, nil
		}
		over, under = name[:at], name[at+len(" per "):]
	}
	top, err := simpleUnit(strings.TrimSpace(over))
	if top == nil || err != nil {
		return nil, err
	}
	bottom, err := simpleUnit(strings.TrimSpace(under))
	if bottom == nil || err != nil {
		return nil, err
	}
	category, ok := ratios[[2]string{top.Category, bottom.Category}]
	if !ok {
		return nil, nil
	}
	factor := new(big.Rat).Quo(top.factor, bottom.factor)
	if category == "fuel economy" { // metres per cubic metre, counted in km/l
		factor.Quo(factor, big.NewRat(1_000_000, 1))
	}
	return &Unit{Category: category, symbol: top.symbol + "/" + bottom.symbol, factor: factor}, nil
}

// currencyCodes lists the currencies that callers most often try here.
const currencyCodes = " usd eur gbp jpy chf cny inr try cad aud dollar dollars euro euros yen pounds sterling $ € £ ¥ "

func unknownUnit(name, category string) error {
	if strings.Contains(currencyCodes, " "+strings.ToLower(strings.TrimSpace(name))+" ") && strings.TrimSpace(name) != "" {
		return tool.Fail(tool.ValidationError, "Unknown unit '%s': it is a currency. Use the tool convert_currency.", name)
	}
	known := []string{category}
	if category == "" {
		known = slices.Sorted(maps.Keys(table))
	}
	for i, c := range known {
		known[i] = c + ": " + strings.Join(symbolsOf(c), ", ")
	}
	return tool.Fail(tool.ValidationError, "Unknown unit '%s'. Known units: %s.", textcut.Excerpt(name, 30), strings.Join(known, "; "))
}

func symbolsOf(category string) []string {
	var symbols []string
	for _, row := range table[category] {
		symbols = append(symbols, row.symbol)
	}
	return symbols
}

// Convert converts a value from one unit to another of its category.
func Convert(value *big.Rat, from, to *Unit) (*big.Rat, error) {
	if from.inverse && to.inverse {
		return value, nil
	}
	base, err := from.toBase(value)
	if err != nil {
		return nil, err
	}
	if from.Category == "temperature" && base.Sign() < 0 {
		return nil, tool.Fail(tool.ValidationError, "The temperature is below absolute zero (-273.15 °C). Give a higher one.")
	}
	out := base
	if to.offset != nil {
		out = new(big.Rat).Sub(out, to.offset)
	}
	if !to.inverse {
		return new(big.Rat).Quo(out, to.factor), nil
	}
	return to.toBase(out) // its own opposite
}

func (u *Unit) toBase(value *big.Rat) (*big.Rat, error) {
	if u.inverse {
		if value.Sign() == 0 {
			return nil, tool.Fail(tool.ValidationError, "0 has no equivalent, because %s measures the inverse. Give another value.", u.symbol)
		}
		return new(big.Rat).Quo(u.factor, value), nil
	}
	out := new(big.Rat).Mul(value, u.factor)
	if u.offset != nil {
		out.Add(out, u.offset)
	}
	return out, nil
}
