package utilities

import (
	"regexp"
	"slices"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestGenerateUUID(t *testing.T) {
	one := func(pattern string) func(*testing.T, tool.Result) {
		return func(t *testing.T, res tool.Result) {
			t.Helper()
			if uuid := fieldOf(t, res, "uuid"); !regexp.MustCompile(`^"` + pattern + `"$`).MatchString(uuid) {
				t.Errorf("uuid = %s, want it to match %s", uuid, pattern)
			}
			if rest := fieldOf(t, res, "uuids") + fieldOf(t, res, "count"); rest != "" {
				t.Errorf("%s beside a single uuid", rest)
			}
		}
	}
	many := func(count int) func(*testing.T, tool.Result) {
		return func(t *testing.T, res tool.Result) {
			t.Helper()
			uuids := textsOf(t, res, "uuids")
			slices.Sort(uuids)
			if len(slices.Compact(uuids)) != count {
				t.Errorf("%s, want %d different ones", res.Value, count)
			}
		}
	}
	tooltest.Run(t, Set, "generate_uuid", tool.Call{}, []tooltest.Case{
		{Name: "one", Args: `{}`, Check: one(`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`)},
		{Name: "no dashes", Args: `{"format":"no-dashes"}`, Check: one(`[0-9a-f]{32}`)},
		{
			Name:  "upper case",
			Args:  `{"format":"uppercase","count":1}`,
			Check: one(`[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}`),
		},
		{Name: "three", Args: `{"count":3}`, Check: many(3)},
		{Name: "three are counted", Args: `{"count":3}`, Check: hasField("count", "3")},
		{Name: "most", Args: `{"count":5000}`, Check: many(10)},
		{Name: "least", Args: `{"count":0}`, Check: one(`[0-9a-f-]{36}`)},
		{Name: "format", Args: `{"format":"braces"}`, Fails: tool.ValidationError, Message: "format"},
		{Name: "a fraction", Args: `{"count":2.9}`, Check: many(2)},
		{Name: "count", Args: `{"count":"2"}`, Fails: tool.ValidationError, Message: "count"},
	})
}
