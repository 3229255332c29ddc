package regex

import (
	"testing"

	"github.com/dlclark/regexp2/v2"
)

func TestScriptLines(t *testing.T) {
	for _, tt := range []struct {
		pattern, flags, text, want string
	}{
		{`^.`, "mg", "a\r\nb\rc\u2028d\u2029e\nf", "abcdef"},
		{`.$`, "mg", "a\r\nb\rc\u2028d\u2029e\nf", "abcdef"},
		{`^$`, "m", "\r\n", "|||"},
		{`.`, "", "\n\r\u2028\u2029x", "x"},
		{`.`, "i", "\n\r\u2028\u2029x", "x"},
		{`.`, "s", "\r\u2028", "\r\u2028"},
		{`[.^$]`, "m", "a.^$", ".^$"},
		{`\.\^\$`, "m", "a.^$", ".^$"},
		{`(?<$a>x)\k<$a>`, "m", "xx", "xx"},
		{`(?<=a)^?.(?=$)`, "m", "ab\r", "b"},
		{`(?m)^b$`, "", "a\nb", "b"},
		{`a # .^$`, "mx", "a", "a"},
	} {
		re, err := Compile(tt.pattern, tt.flags)
		if err != nil {
			t.Errorf("%s: %v", tt.pattern, err)
			continue
		}
		got := ""
		err = Each(t.Context(), re, tt.text, func(m *regexp2.Match) bool {
			if got += m.String(); m.RuneLength == 0 {
				got += "|"
			}
			return true
		})
		if err != nil || got != tt.want {
			t.Errorf("%s with flags %q matches %q of %q, error %v, want %q", tt.pattern, tt.flags, got, tt.text, err, tt.want)
		}
	}
}
