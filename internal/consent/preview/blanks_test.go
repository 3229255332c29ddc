package preview

import (
	"strings"
	"testing"
)

// TestOfCollapsesBlanks checks that text after many blanks stays in sight.
func TestOfCollapsesBlanks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ value, want string }{
		{"a" + strings.Repeat(" ", 31) + "b", `"a` + strings.Repeat(" ", 31) + `b"`},
		{"a" + strings.Repeat(" ", 32) + "b", `"a… 32 blanks …b"`},
		{"a" + strings.Repeat(`\n`, 7) + "b", `"a` + strings.Repeat(`\n`, 7) + `b"`},
		{"a" + strings.Repeat(`\n`, 8) + "b", `"a… 8 line breaks …b"`},
		{"a" + strings.Repeat(`\r\n`, 8) + "b", `"a… 8 line breaks …b"`},
		{
			"a" + strings.Repeat(` \n\t`, 500) + "rm -rf x" + strings.Repeat("\u3000", 40),
			`"a… 500 line breaks and 1,000 blanks …rm -rf x… 40 blanks …"`,
		},
		{strings.Repeat(" ", 100), `"… 100 blanks …"`},
		{strings.Repeat(`\u2028`, 9), `"… 9 line breaks …"`},
	} {
		p := of(t, `{"a":"`+tt.value+`"}`, "")
		want := "a: " + tt.want + "\n"
		if p.Text != want {
			t.Errorf("%.40q: Text = %s, want %s", tt.value, p.Text, want)
		}
		warned := strings.Contains(strings.Join(p.Warnings, "|"), "a: has long runs of blanks or line breaks")
		if collapsed := strings.Contains(tt.want, "…"); warned != collapsed || p.Cut {
			t.Errorf("%.40q: warnings %q, cut %v, want a warning: %v", tt.value, p.Warnings, p.Cut, collapsed)
		}
	}
	// In code, too, a run is shown by its number: nothing is lost by that.
	code := "a" + strings.Repeat(" ", 100) + "b"
	p, err := Of([]byte(`{"code":"`+code+`"}`), nil, "code")
	if err != nil || p.Text != "code: \"a… 100 blanks …b\"\n" || p.Cut {
		t.Errorf("Text of code = %s, %v", p.Text, err)
	}
}
