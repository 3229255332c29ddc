package pdf

import (
	"slices"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func TestPages(t *testing.T) {
	for _, tt := range []struct {
		text string
		want string // of a document of 10 pages
	}{
		{"all", "1-10"}, {"", "1-10"}, {" ALL ", "1-10"}, {"*", "1-10"}, {"3", "3"}, {"1-5", "1-5"}, {"1,3,5", "1,3,5"}, {"7-", "7-10"},
		{"-2", "1-2"}, {"5, 1-2 ,3", "1-3,5"}, {"2-4,3-6", "2-6"}, {"last", "10"}, {"9-last", "9-10"}, {"8-end", "8-10"}, {"1–3", "1-3"},
		{"1..3", "1-3"}, {"2 to 4", "2-4"}, {"9-99", "9-10"}, {"10,11", "10"}, {"99999999", ""}, {"11-12", ""},
	} {
		all, err := parsePages(tt.text)
		if err != nil {
			t.Errorf("parsePages(%q): %v", tt.text, err)
			continue
		}
		chosen, err := choose(all, 10)
		if got := spell(chosen); got != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("pages %q of 10: %q, %v, want %q", tt.text, got, err, tt.want)
		}
	}
	for _, text := range []string{"0", "-", ",", "1,", "a", "1-b", "5-2", "-0", "1--3", "1.5", "-1-", "99999999999999999999"} {
		if all, err := parsePages(text); tool.AsError(err) == nil || tool.AsError(err).Kind != tool.ValidationError {
			t.Errorf("parsePages(%q) = %v, %v, want a validation_error", text, all, err)
		}
	}
}

func FuzzPages(f *testing.F) {
	f.Add("1-5,7,last")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := parsePages(text)
		if err != nil {
			return
		}
		chosen, err := choose(all, 50)
		if err != nil {
			return
		}
		final := 0
		for _, s := range chosen {
			if s.from <= final || s.to < s.from || s.to > 50 {
				t.Fatalf("%q: %v", text, chosen)
			}
			final = s.to
		}
		again, err := parsePages(spell(chosen))
		if err != nil || !slices.Equal(again, chosen) {
			t.Fatalf("%q: %v is spelt %q, read as %v, %v", text, chosen, spell(chosen), again, err)
		}
	})
}
