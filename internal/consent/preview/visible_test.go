package preview

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestShown(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain ~!": "plain ~!",
		"é \u65e5\u672c עברית ไทย 😀 ½ €":   "é \u65e5\u672c עברית ไทย 😀 ½ €",
		"a\u00a0b\u2003c\u3000d\u2028e":    `a\u00a0b\u2003c\u3000d\u2028e`,
		"a\u200bb\u200dc\ufeffd\u00ade":    `a\u200bb\u200dc\ufeffd\u00ade`,
		"\u202a\u202e\u2066\u2069\u061c":   `\u202a\u202e\u2066\u2069\u061c`,
		"\u034f\u115f\u3164\uffa0\u2800":   `\u034f\u115f\u3164\uffa0\u2800`,
		"\U000e0041\U000e0100\U0001d173":   `\udb40\udc41\udb40\udd00\ud834\udd73`,
		"\ue000\U0010fffd\ufdd0\U0001ffff": `\ue000\udbff\udffd\ufdd0\ud83f\udfff`,
		"\u0378\ufffc":                     `\u0378\ufffc`,
		"\x00\x1b\x7f\u0085\u009b":         `\u0000\u001b\u007f\u0085\u009b`,
		"e\u0301\u0302\u0303\u0304":        "e\u0301\u0302" + `\u0303\u0304`,
		"\u0301a \u0301\n\u0301":           `\u0301` + "a \u0301" + `\n\u0301`,
		"❤\ufe0f ❤\ufe0f\ufe0f a\ufe0f":    "❤\ufe0f ❤\ufe0f" + `\ufe0f a\ufe0f`,
		"👩\u200d💻":                         "👩" + `\u200d` + "💻",
		"a\\b\"c\r":                        `a\\b"c\r`,
		"a\xffb":                           "a•••b",
		"a•b…":                             `a\u2022b\u2026`,
		"\ufffd":                           "\ufffd",
	} {
		got, cut := shown(text, 1000)
		if got != want || cut {
			t.Errorf("shown(%+q) = %+q, %v, want %+q", text, got, cut, want)
		}
	}
}

func TestUnusual(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": false, "a\nb\tc\r\nd": false, `a\b`: false, "… •": false, "é😀❤\ufe0f": false,
		"a\rb": true, "a\x00": true, "\u200b": true, "\u00a0": true, "e\u0301\u0301\u0301": true, "\ue000": true,
	} {
		if got := unusual(text); got != want {
			t.Errorf("unusual(%+q) = %v, want %v", text, got, want)
		}
	}
}

func TestShownCuts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		room int
		want string
	}{
		{strings.Repeat("a", 30), 30, strings.Repeat("a", 30)},
		{
			strings.Repeat("a", 20) + strings.Repeat("b", 11), 30,
			strings.Repeat("a", 20) + "… 1 more character (31 in all) …" + strings.Repeat("b", 10),
		},
		{strings.Repeat("é", 12_345), 30, strings.Repeat("é", 10) + "… 12,330 more characters (12,345 in all) …" + strings.Repeat("é", 5)},
		{strings.Repeat("\u202e", 100), 30, `\u202e\u202e… 97 more characters (100 in all) …\u202e`},
		{strings.Repeat("<", 100), 30, `<<<… 96 more characters (100 in all) …<`},
		{"a" + strings.Repeat("\u0301", 99), 30, "a\u0301\u0301" + `\u0301\u0301… 94 more characters (100 in all) …\u0301`},
		{strings.Repeat("\xff", 100), 30, "••••••… 97 more characters (100 in all) …•••"},
		{strings.Repeat("a", 31), 0, "… 31 more characters (31 in all) …"},
	} {
		got, cut := shown(tt.text, tt.room)
		if got != tt.want || cut != (tt.want != tt.text) {
			t.Errorf("shown(%.20q…, %d) = %q, %v, want %q", tt.text, tt.room, got, cut, tt.want)
		}
	}
}

// TestCost compares cost with the bytes that a character really takes in Arguments.
func TestCost(t *testing.T) {
	t.Parallel()
	for r := rune(1); r < 0x20000; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		text, _ := shown(string(r), 1000)
		literal := quote(nil, text, true)
		var v view
		if limit := cost(r, utf8.RuneLen(r), v.plain(r)); len(literal)-2 > limit {
			t.Errorf("%U takes %d bytes as %s, cost says at most %d", r, len(literal)-2, literal, limit)
		}
		var parsed string
		if err := json.Unmarshal(literal, &parsed); err != nil || parsed != text {
			t.Errorf("%U: %s reads %q, %v, want %q", r, literal, parsed, err, text)
		}
	}
}
