package utilities

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// password checks one password: its length, that it has a character of each of these
// sets, and no other.
func password(length int, sets ...string) func(*testing.T, tool.Result) {
	return func(t *testing.T, res tool.Result) {
		t.Helper()
		checkPassword(t, strings.ReplaceAll(fieldOf(t, res, "password"), `\\`, `\`), length, sets)
	}
}

func checkPassword(t *testing.T, quoted string, length int, sets []string) {
	t.Helper()
	got := strings.Trim(quoted, `"`)
	if n := utf8.RuneCountInString(got); n != length {
		t.Errorf("%d characters, want %d", n, length)
	}
	for _, set := range sets {
		if !strings.ContainsAny(got, set) {
			t.Errorf("%q has none of %q", got, set)
		}
	}
	if left := strings.Trim(got, strings.Join(sets, "")); left != "" {
		t.Errorf("%q holds %q", got, left)
	}
}

const passwordSymbols = "!@#$%^&*()_+-=[]{}|;:,.<>?"

func TestGeneratePassword(t *testing.T) {
	tooltest.Run(t, Set, "generate_password", tool.Call{}, []tooltest.Case{
		{Name: "defaults", Args: `{}`, Check: password(16, upperLetters, lowerLetters, decimalDigits, passwordSymbols)},
		{Name: "shortest with all", Args: `{"length":4}`, Check: password(8, upperLetters, lowerLetters, decimalDigits, passwordSymbols)},
		{
			Name: "shortest, noted", Args: `{"length":4}`,
			Check: noted("The password has 8 characters, which is the least; a shorter one is guessed too easily."),
		},
		{Name: "longest", Args: `{"length":200}`, Check: password(128, upperLetters, lowerLetters, decimalDigits, passwordSymbols)},
		{Name: "length", Args: `{"length":200}`, Check: hasField("length", "128")},
		{
			Name: "digits alone", Args: `{"length":4,"includeUppercase":false,"includeLowercase":false,"includeSymbols":false}`,
			Check: password(8, decimalDigits),
		},
		{
			Name: "entropy", Args: `{"length":4,"includeUppercase":false,"includeLowercase":false,"includeSymbols":false}`,
			Check: hasField("entropyBits", "26.58"),
		},
		{
			Name: "weak", Args: `{"length":4,"includeUppercase":false,"includeLowercase":false,"includeSymbols":false}`,
			Check: hasField("strength", `"weak"`),
		},
		{Name: "fair", Args: `{"length":8}`, Check: hasField("strength", `"fair"`)},
		{Name: "strong", Args: `{"length":12}`, Check: hasField("strength", `"strong"`)},
		{Name: "very strong", Args: `{"length":20}`, Check: hasField("strength", `"very strong"`)},
		{
			Name: "one type", Args: `{"length":0,"includeUppercase":false,"includeNumbers":false,"includeSymbols":false}`,
			Check: password(8, lowerLetters),
		},
		{
			Name: "unambiguous", Args: `{"excludeAmbiguous":true,"length":128}`,
			Check: password(128, "ABCDEFGHJKLMNPQRSTUVWXYZ", "abcdefghijkmnpqrstuvwxyz", "23456789", "!@#$%^&*()_+-=[]{};:,.<>?"),
		},
		{Name: "several", Args: `{"count":9,"length":8}`, Check: func(t *testing.T, res tool.Result) {
			t.Helper()
			seen := map[string]bool{}
			for _, p := range textsOf(t, res, "passwords") {
				checkPassword(t, p, 8, []string{upperLetters, lowerLetters, decimalDigits, passwordSymbols})
				seen[p] = true
			}
			if len(seen) != 5 || fieldOf(t, res, "count") != "5" || fieldOf(t, res, "password") != "" {
				t.Errorf("%s, want 5 different passwords", res.Value)
			}
		}},
		{
			Name: "nothing", Args: `{"includeUppercase":false,"includeLowercase":false,"includeNumbers":false,"includeSymbols":false}`,
			Fails: tool.ValidationError, Message: "At least one character type",
		},
		{Name: "shortest", Args: `{"length":-1}`, Check: hasField("length", "8")},
		{Name: "type", Args: `{"length":"long"}`, Fails: tool.ValidationError, Message: "length"},
	})
}

func TestPasswordEntropy(t *testing.T) {
	for _, c := range []struct {
		classes []string
		length  int
		want    float64
	}{
		{[]string{"ab", "cd"}, 1, math.Inf(-1)}, // such a password does not exist
		{[]string{"ab", "cd"}, 2, 3},            // 2*2 in two orders
		{[]string{decimalDigits}, 4, math.Log2(1e4)},
		{[]string{upperLetters, lowerLetters, decimalDigits, passwordSymbols}, 128, 128 * math.Log2(88)},
	} {
		if got := entropyOf(c.classes, c.length); math.Abs(got-c.want) > 1e-4 && got != c.want {
			t.Errorf("entropy of %d of %q = %v, want %v", c.length, c.classes, got, c.want)
		}
	}
}

func TestPasswordEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := passwordOf(ctx, []string{"a", "b"}, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("a password that cannot be: error %v, want that the call was cancelled", err)
	}
}
