package entry

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

func TestRequired(t *testing.T) {
	long := strings.Repeat("x", MaxText)
	for text, want := range map[string]string{
		"x":           "",
		" x ":         "",
		long:          "",
		"":            "title is missing or blank",
		" \t\n\u00a0": "title is missing or blank",
		long + "x":    "title has 900001 bytes, and may have 900000",
	} {
		err := tool.AsError(Required("title", text))
		if want == "" && err != nil || want != "" && (err == nil || err.Msg != want || err.Kind != tool.ValidationError) {
			t.Errorf("%.20q: %v, want %q", text, err, want)
		}
	}
}

func TestFit(t *testing.T) {
	if err := tool.AsError(Fit(Text{"a", "x"}, Text{"b", strings.Repeat("x", MaxText+1)})); err == nil ||
		!strings.HasPrefix(err.Msg, "b has 900001 bytes") {
		t.Errorf("error %v, want one about b", err)
	}
}

func TestTags(t *testing.T) {
	got, err := Tags("tags", []string{"b", " ", "a", "b", "", " a"})
	if diff := cmp.Diff([]string{"b", "a", " a"}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	var many []string
	for i := range MaxTags + 1 {
		many = append(many, fmt.Sprint(i))
	}
	if _, err := Tags("tags", many[:MaxTags]); err != nil {
		t.Errorf("%d tags: %v", MaxTags, err)
	}
	for _, tags := range [][]string{many, {strings.Repeat("x", MaxText+1)}} {
		if _, err := Tags("tags", tags); tool.AsError(err) == nil {
			t.Errorf("%d tags are accepted", len(tags))
		}
	}
}
