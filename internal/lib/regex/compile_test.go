package regex

import (
	"strings"
	"testing"

	"github.com/dlclark/regexp2/v2"
	"github.com/helve-dev/helve/tool"
)

// TestRegexMemory has a bound so small that no machine is too slow to come to it
// within the time of a match.
func TestRegexMemory(t *testing.T) {
	re, err := regexp2.Compile(`(a|b|ab)*d`, regexp2.ECMAScript, regexp2.OptionMaxBacktrackingStackSize(1<<12))
	if err != nil {
		t.Fatal(err)
	}
	err = Each(t.Context(), re, strings.Repeat("ab", 50_000), func(*regexp2.Match) bool { return true })
	if got := tool.AsError(err); got == nil || got.Kind != tool.ValidationError || !strings.Contains(got.Msg, "too much memory") {
		t.Errorf("error %v, want that the pattern needs too much memory", err)
	}
	if re, err = Compile(`(a|b|ab)*d`, ""); err != nil {
		t.Fatal(err)
	}
	err = Each(t.Context(), re, strings.Repeat("ab", 500_000), func(*regexp2.Match) bool { return true })
	if got := tool.AsError(err); got == nil || got.Kind != tool.ValidationError && got.Kind != tool.Timeout {
		t.Errorf("error %v, want one of memory or time", err)
	}
}
