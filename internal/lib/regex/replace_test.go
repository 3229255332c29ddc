package regex

import (
	"strings"
	"testing"

	"github.com/dlclark/regexp2/v2"
)

func TestReplacement(t *testing.T) {
	re, err := Compile(`(?<first>\w)(\w)(z)?`, "")
	if err != nil {
		t.Fatal(err)
	}
	for template, want := range map[string]string{
		"$2$1":         "-ba-",
		"$$1":          "-$1-",
		"[$&]":         "-[ab]-",
		"$`|$'":        "--|--",
		"$<first>.":    "-a.-",
		"${first}${2}": "-${first}${2}-",
		`\2\1`:         `-\2\1-`,
		"$3":           "--",
		"$4 $0 $":      "-$4 $0 $-",
		"$20":          "-b0-",
		"$<nobody>":    "-$<nobody>-",
		"$<first":      "-$<first-",
		`\9 \n \`:      `-\9 \n \-`,
		"é$1":          "-éa-",
	} {
		instead := ReadReplacement(re, template)
		text := []rune("-ab-")
		got, count, err := Replace(t.Context(), re, "-ab-", true, func(out *strings.Builder, m *regexp2.Match) { instead.Write(out, m, text) })
		if err != nil || got != want || count != 1 {
			t.Errorf("replacement %q makes %q (%d, error %v), want %q", template, got, count, err, want)
		}
	}
}
