package utilities

import (
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// maxUnitName is the longest name of a unit that is looked at, in bytes.
const maxUnitName = 64

// unitWriting brings the ways to write a unit to one.
var unitWriting = strings.NewReplacer(
	"℃", "°C", "℉", "°F", "²", "2", "³", "3", "^", "", "µ", "u", "μ", "u", "º", "°", "metre", "meter", "litre", "liter", "Metre", "meter", "Litre", "liter", "METRE", "METER", "LITRE", "LITER", "gramme", "gram", "Gramme", "Gram", "GRAMME", "GRAM", "·", "-", "′", "'", "″", "\"",
)

// findUnit finds a unit by symbol (m, MB), name (Meters, square feet) or as
// what it is made of (km/h, cm2). If it fails, it lists the units of category,
// or all of them.
func findUnit(text, category string) (*unit, error) {
	name := strings.Join(strings.Fields(unitWriting.Replace(text)), " ")
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

// simpleUnit looks a unit up: first as written, because mW is not MW, then in
// lower case and in the singular. It returns nil if there is none.
func simpleUnit(name string) (*unit, error) {
	if u := knownUnits.symbols[name]; u != nil {
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
	for _, candidate := range []string{lower, strings.TrimSuffix(lower, "s"), strings.TrimPrefix(lower, "°"), strings.ReplaceAll(lower, "s ", " ")} {
		found := knownUnits.names[candidate]
		if len(found) > 1 {
			var symbols []string
			for _, u := range found {
				symbols = append(symbols, u.symbol+" ("+u.category+")")
			}
			return nil, tool.Fail(tool.ValidationError, "Unit '%s' is ambiguous. Write it as one of: %s.", name, strings.Join(symbols, ", "))
		}
		if len(found) == 1 {
			return found[0], nil
		}
	}
	return nil, nil
}

// powerUnit finds areas and volumes: square or sq or sq. before a length, cubic
// or cu, or a 2 or 3 behind it.
func powerUnit(name, lower string) *unit {
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
		if err != nil || length == nil || length.category != "length" {
			return nil
		}
		factor := big.NewRat(1, 1)
		for range p.power {
			factor.Mul(factor, length.factor)
		}
		return &unit{category: p.category, symbol: length.symbol + p.suffix, factor: factor}
	}
	return nil
}

// ratios are the categories of what is one unit per another.
var ratios = map[[2]string]string{
	{"length", "time"}: "speed", {"data", "time"}: "data rate",
	{"length", "volume"}: "fuel economy", {"energy", "time"}: "power",
}

// ratioUnit finds km/h, feet per second, MB/s.
func ratioUnit(name, lower string) (*unit, error) {
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
	category, ok := ratios[[2]string{top.category, bottom.category}]
	if !ok {
		return nil, nil
	}
	factor := new(big.Rat).Quo(top.factor, bottom.factor)
	if category == "fuel economy" { // metres per cubic metre, counted in km/l
		factor.Quo(factor, big.NewRat(1_000_000, 1))
	}
	return &unit{category: category, symbol: top.symbol + "/" + bottom.symbol, factor: factor}, nil
}

// currencyCodes are what people try here most.
const currencyCodes = " usd eur gbp jpy chf cny inr try cad aud dollar dollars euro euros yen pounds sterling $ € £ ¥ "

func unknownUnit(name, category string) error {
	if strings.Contains(currencyCodes, " "+strings.ToLower(strings.TrimSpace(name))+" ") && strings.TrimSpace(name) != "" {
		return tool.Fail(tool.ValidationError, "Unknown unit '%s': it is a currency. Use the tool convert_currency.", name)
	}
	known := []string{category}
	if category == "" {
		known = slices.Sorted(maps.Keys(unitTable))
	}
	for i, c := range known {
		known[i] = c + ": " + strings.Join(symbolsOf(c), ", ")
	}
	return tool.Fail(tool.ValidationError, "Unknown unit '%s'. Known units: %s.", shortened(name), strings.Join(known, "; "))
}

func symbolsOf(category string) []string {
	var symbols []string
	for _, row := range unitTable[category] {
		symbols = append(symbols, row.symbol)
	}
	return symbols
}

// convert brings a value from one unit to another of its category.
func convert(value *big.Rat, from, to *unit) (*big.Rat, error) {
	if from.inverse && to.inverse {
		return value, nil
	}
	base, err := from.toBase(value)
	if err != nil {
		return nil, err
	}
	if from.category == "temperature" && base.Sign() < 0 {
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

func (u *unit) toBase(value *big.Rat) (*big.Rat, error) {
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
