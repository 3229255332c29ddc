package store

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// canonical returns the form of a JSON value in which two values are equal exactly if
// both databases hold the same: members in order, numbers by their value.
func canonical(doc []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return doc
	}
	return appendCanonical(nil, v)
}

func appendCanonical(b []byte, v any) []byte {
	switch v := v.(type) {
	case map[string]any:
		b = append(b, '{')
		for _, name := range slices.Sorted(maps.Keys(v)) {
			b = append(strconv.AppendQuote(b, name), ':')
			b = append(appendCanonical(b, v[name]), ',')
		}
		return append(b, '}')
	case []any:
		b = append(b, '[')
		for _, item := range v {
			b = append(appendCanonical(b, item), ',')
		}
		return append(b, ']')
	case string:
		return strconv.AppendQuote(b, v)
	case json.Number:
		return append(b, plainNumber(string(v))...)
	case bool:
		return strconv.AppendBool(b, v)
	}
	return append(b, "null"...)
}

// plainNumber returns the digits of a JSON number without leading and trailing zeros, and
// its exponent.
func plainNumber(n string) string {
	sign := ""
	if strings.HasPrefix(n, "-") {
		sign, n = "-", n[1:]
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(n), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	e, _ := strconv.Atoi(strings.TrimPrefix(exponent, "+")) // 0 if there is none
	digits := strings.TrimLeft(whole+fraction, "0")
	e -= len(fraction)
	trimmed := strings.TrimRight(digits, "0")
	if trimmed == "" {
		return "0"
	}
	return sign + trimmed + "e" + strconv.Itoa(e+len(digits)-len(trimmed))
}
