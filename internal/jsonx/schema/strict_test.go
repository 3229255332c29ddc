package schema

import (
	"strings"
	"testing"
)

func TestStrict(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	tests := []struct{ name, raw, want string }{
		{"object", ` {"a":[1,-0.5e3,"é",null,true]} `, ""},
		{"scalar", `7`, ""},
		{"escaped surrogate pair", `"\ud83d\ude00"`, ""},
		{"same key in different objects", `{"a":{"b":1},"b":{"b":2}}`, ""},
		{"at the depth limit", nested(MaxDepth), ""},
		{"longest number", strings.Repeat("9", 64), ""},
		{"largest exponent that fits", `1e308`, ""},
		{"smallest exponent", `1e-400`, ""},
		{"padded exponent", `1e0000000000000000000000000000000000000003`, ""},

		{"empty", ``, "it is empty"},
		{"white space", "  \n", "it is empty"},
		{"cut off", `{"a":`, "ends too early"},
		{"cut off string", `"abc`, "ends too early"},
		{"not JSON", `hello`, "not valid JSON"},
		{"two values", `{} {}`, "something follows the value"},
		{"trailing garbage", `{}x`, "not valid JSON"},
		{"trailing comma", `[1,]`, "not valid JSON"},
		{"leading zero", `[01]`, "not valid JSON"},
		{"NaN", `NaN`, "not valid JSON"},
		{"comment", `{}//`, "not valid JSON"},
		{"duplicate key", `{"a":1,"a":2}`, "duplicate key 'a'"},
		{"duplicate key written differently", `{"a":1,"\u0061":2}`, "duplicate key 'a'"},
		{"nested duplicate key", `[{"x":{"k":1,"k":1}}]`, "duplicate key 'k'"},
		{"invalid UTF-8", "\"a\xff\"", "not valid JSON: invalid UTF-8"},
		{"invalid UTF-8 in a key", "{\"\xc3\x28\":1}", "not valid JSON: invalid UTF-8"},
		{"lone high surrogate", `"\ud800"`, "not valid JSON"},
		{"lone low surrogate", `"\udc00"`, "not valid JSON"},
		{"swapped surrogates", `"\ude00\ud83d"`, "not valid JSON"},
		{"control character", "\"\x01\"", "not valid JSON"},
		{"too deep", nested(MaxDepth + 1), "nested more than 128 levels"},
		{"10,000 deep", nested(10_000), "nested more than 128 levels"},
		{"10,000 deep and cut off", strings.Repeat(`{"a":`, 10_000), "nested more than 128 levels"},
		{"too long a number", strings.Repeat("9", 65), "longer than 64"},
		{"too large an exponent", `{"a":[0,{"b":1e401}]}`, "exponent beyond 400 (at a[1].b)"},
		{"too small an exponent", `1E-401`, "exponent beyond 400"},
		{"overflowing exponent", `1e99999999999999999999999999`, "exponent beyond 400"},
		{"beyond float64", `1e309`, "too large for a 64-bit float"},
		{"beyond float64, long mantissa", strings.Repeat("9", 30) + `e300`, "too large for a 64-bit float"},
		{"2 MiB", `"` + strings.Repeat("a", 2<<20) + `"`, "larger than 1 MiB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := Strict([]byte(tt.raw))
			if tt.want != "" {
				checkInvalid(t, "Strict", err, tt.want)
			} else if err != nil {
				t.Errorf("Strict(%.80s) = %v, want nil", tt.raw, err)
			}
		})
	}
}

func TestStrictLeavesInputAlone(t *testing.T) {
	for _, raw := range []string{`{"a":"\u0062","c":[1,2,{"d":null}]}`, `{"a":1,"a":2}`, `[1,2`} {
		given := []byte(raw)
		_ = Strict(given)
		if string(given) != raw {
			t.Errorf("Strict changed %s to %s", raw, given)
		}
	}
}

func TestStrictNeverEchoesLongText(t *testing.T) {
	long := strings.Repeat("é", 5000)
	for _, raw := range []string{`{"` + long + `":1,"` + long + `":2}`, `{"` + long + `":1e999}`, `"` + long} {
		err := Strict([]byte(raw))
		if err == nil || len(err.Error()) > 250 {
			t.Errorf("Strict(%.20s...) = %.300v, want a short error", raw, err)
		}
	}
}
