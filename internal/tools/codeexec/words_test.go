package codeexec

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		"": nil, " \t\n": nil, "a  b\tc\nd": {"a", "b", "c", "d"}, `a 'b c' "d e"`: {"a", "b c", "d e"}, `''`: {""}, `a""b`: {"ab"},
		`"a\"b" '\'`: {`a"b`, `\`}, `a\ b \x`: {"a b", "x"}, "a\\\nb": {"ab"},
		"x>=2,<3 a;b|c&d $e #f": {"x>=2,<3", "a;b|c&d", "$e", "#f"}, "ünï 'кана'": {"ünï", "кана"}, `\`: nil,
	} {
		got, err := words("args", text)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("words(%q): %v, (-want +got):\n%s", text, err, diff)
		}
	}
	for text, message := range map[string]string{
		"'a": "not closed", `"a`: "not closed", `"a\`: "not closed", "a\x00b": "zero byte", strings.Repeat("a ", 101): "has 101 words",
	} {
		_, err := words("args", text)
		if failure := tool.AsError(err); failure == nil || failure.Kind != tool.ValidationError || !strings.Contains(failure.Msg, message) {
			t.Errorf("words(%q): %v, want a validation_error with %q", text, err, message)
		}
	}
}

func TestSplitCommands(t *testing.T) {
	for text, want := range map[string][][]string{
		"a b; c && d | e & f": {{"a", "b"}, {"c"}, {"d"}, {"e"}, {"f"}}, "a >b<c": {{"a", ">", "b", "<", "c"}}, "a # b; c\nd": {{"a"}, {"d"}},
		"a#b": {{"a#b"}}, "'a;b' \"c|d\"": {{"a;b", "c|d"}}, "$(a)`b`(c)": {{"$"}, {"a"}, {"b"}, {"c"}}, ";;": nil, "#": nil,
	} {
		s := splitter{text: text, operators: true}
		s.split()
		if diff := cmp.Diff(want, s.commands); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}
