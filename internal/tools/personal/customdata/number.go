package customdata

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// maxDigits bounds the characters of a number. What a 64-bit floating-point number can
// hold is shorter.
const maxDigits = 400

// number returns a number in its shortest form. A number that a 64-bit floating-point
// number cannot hold exactly as it is written is refused, because one of the databases
// would round it.
func number(raw json.RawMessage) (json.RawMessage, error) {
	text := string(raw)
	if b := text[0]; b != '-' && (b < '0' || b > '9') {
		return nil, tool.Fail(tool.ValidationError, "it must be a number without quotes, not %s", kindOf(raw))
	}
	f, err := strconv.ParseFloat(text, 64)
	if len(text) > maxDigits || err != nil || math.IsInf(f, 0) {
		return nil, tooExact(text)
	}
	if f == 0 {
		mantissa, _, _ := strings.Cut(strings.ToLower(text), "e")
		if strings.ContainsAny(mantissa, "123456789") {
			return nil, tooExact(text)
		}
		return json.RawMessage("0"), nil
	}
	short := shortest(f)
	given, ok := new(big.Rat).SetString(text)
	kept, _ := new(big.Rat).SetString(short)
	if !ok || given.Cmp(kept) != 0 {
		return nil, tooExact(text)
	}
	return json.RawMessage(short), nil
}

// shortest returns the shortest JSON number that reads as f.
func shortest(f float64) string {
	format := byte('f')
	if abs := math.Abs(f); abs < 1e-6 || abs >= 1e21 {
		format = 'e'
	}
	return strconv.FormatFloat(f, format, -1, 64)
}

func tooExact(text string) error {
	return tool.Fail(tool.ValidationError,
		"the number %.40s cannot be kept exactly: a number has at most 15 to 17 digits and is at most 1.79e308; keep it in a text column", text)
}
