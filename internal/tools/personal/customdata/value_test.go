package customdata

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func TestValue(t *testing.T) {
	for _, c := range []struct{ kind, given, want string }{
		{typeText, `"Dune"`, `"Dune"`},
		{typeText, `""`, `""`},
		{typeText, `" <b> &\u00e9\n"`, `" <b> &é\n"`},
		{typeText, `"📚 ספר \u202e"`, `"📚 ספר ` + "\u202e" + `"`},
		{typeText, `"'; DROP TABLE store_row; -- % _ * \" OR 1"`, `"'; DROP TABLE store_row; -- % _ * \" OR 1"`},
		{typeNumber, ` 1.50 `, `1.5`},
		{typeBoolean, `true`, `true`},
		{typeBoolean, `false`, `false`},
		{typeDate, `"2026-11-23"`, `"2026-11-23"`},
		{typeDate, `"2024-02-29"`, `"2024-02-29"`},
		{typeDate, `"0001-01-01"`, `"0001-01-01"`},
		{typeDate, `"9999-12-31"`, `"9999-12-31"`},
		{typeDatetime, `"2026-11-23 09:00"`, `"2026-11-23T09:00:00"`},
		{typeDatetime, `"2026-11-23T09:00+01:00"`, `"2026-11-23T09:00:00+01:00"`},
		{typeJSON, `{"b": [1.10, 12345678901234567890], "a": "x"}`, `{"b":[1.10,12345678901234567890],"a":"x"}`},
		{typeJSON, `"\\u0000"`, `"\\u0000"`},
		{typeJSON, `[]`, `[]`},
		{typeText, `null`, ``},
		{typeJSON, `null`, ``},
	} {
		col := column{Name: "a", Type: c.kind}
		got, err := col.value(json.RawMessage(c.given))
		if err != nil || string(got) != c.want {
			t.Errorf("%s of %s = %s, %v, want %s", c.kind, c.given, got, err, c.want)
		}
	}
	for _, c := range []struct{ kind, given, want string }{
		{typeText, `5`, "a is a text column and needs a text in quotes, not a number"},
		{typeText, `{}`, "not an object"},
		{typeText, `"a\u0000b"`, "NUL"},
		{typeText, `"` + strings.Repeat("x", maxText+1) + `"`, "at most 900000"},
		{typeNumber, `"5"`, "a number without quotes, not a text"},
		{typeNumber, `true`, "not true or false"},
		{typeBoolean, `"true"`, "needs true or false, without quotes, not a text"},
		{typeBoolean, `1`, "not a number"},
		{typeDate, `"tomorrow"`, "YYYY-MM-DD"},
		{typeDate, `"2026-02-29"`, "YYYY-MM-DD"},
		{typeDate, `"0000-01-01"`, "YYYY-MM-DD"},
		{typeDate, `"10000-01-01"`, "YYYY-MM-DD"},
		{typeDate, `"2026-11-23T09:00"`, "date column holds days"},
		{typeDate, `20261123`, `a day such as "2026-11-23", not a number`},
		{typeDatetime, `"2026-11-23T23:59:60"`, "YYYY-MM-DD"},
		{typeDatetime, `[]`, "not a list"},
		{typeJSON, `{"a":"x\u0000"}`, "NUL"},
		{typeJSON, strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1), "more than 100 deep"},
		{typeJSON, `["` + strings.Repeat("x", maxText) + `"]`, "at most 900000"},
	} {
		col := column{Name: "a", Type: c.kind}
		got, err := col.value(json.RawMessage(c.given))
		if e := tool.AsError(err); e == nil || e.Kind != tool.ValidationError || !strings.Contains(e.Msg, c.want) {
			t.Errorf("%s of %.60s = %.60s, %v, want a validation_error with %q", c.kind, c.given, got, err, c.want)
		}
	}
}

func TestDepth(t *testing.T) {
	for raw, want := range map[string]int{`1`: 0, `{}`: 1, `{"a":[1,[2]],"b":{}}`: 3, `"[[["`: 0, `["\"[["]`: 1} {
		if got := depth(json.RawMessage(raw)); got != want {
			t.Errorf("depth(%s) = %d, want %d", raw, got, want)
		}
	}
}
