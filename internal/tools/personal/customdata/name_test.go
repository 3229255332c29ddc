package customdata

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func TestCheckName(t *testing.T) {
	for _, name := range []string{"a", "Books", "reading_list", "x1", "select", "order", "ids", "sqlite", "pg", strings.Repeat("x", 63)} {
		if err := checkName("table", name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for name, why := range map[string]string{
		"":           "missing or blank",
		"id":         "reserved",
		"ID":         "reserved",
		"_createdAt": "reserved",
		"_UPDATEDAT": "reserved",
		"sqlite_master": "reserved, because databases use names that begin with sqlite_ and pg_; " +
			"choose another one, such as my_master",
		"SQLite_x":                         "reserved",
		"pg_class":                         "reserved",
		"_private":                         "cannot be a name: use a letter",
		"1st":                              "cannot be a name",
		"a b":                              "cannot be a name",
		"a-b":                              "cannot be a name",
		"a.b":                              "cannot be a name",
		"a;DROP TABLE x":                   "cannot be a name",
		`a"b`:                              "cannot be a name",
		"a'b":                              "cannot be a name",
		"a\x00b":                           "cannot be a name",
		"a\n":                              "cannot be a name",
		"größe":                            "displayName may be any text",
		"ספר":                              "cannot be a name",
		"📚":                                "cannot be a name",
		"__proto__":                        "cannot be a name",
		"$where":                           "cannot be a name",
		strings.Repeat("x", 64):            "at most 63",
		strings.Repeat("x", 1<<20):         "at most 63",
		"../../etc/passwd":                 "cannot be a name",
		"{{.}}":                            "cannot be a name",
		"a\u202eb":                         "cannot be a name",
		"pg_" + strings.Repeat("x", 1<<20): "reserved",
	} {
		err := checkName("table", name)
		if e := tool.AsError(err); e == nil || e.Kind != tool.ValidationError || !strings.Contains(e.Msg, why) ||
			!strings.HasPrefix(e.Msg, "table") || len(e.Msg) > 1000 {
			t.Errorf("%.40q: %v, want a validation_error with %q", name, err, why)
		}
	}
}

func TestDisplayOf(t *testing.T) {
	for name, want := range map[string]string{"reading_list": "Reading list", "a": "A", "a__": "A", "A1": "A1"} {
		if got := displayOf(name); got != want {
			t.Errorf("displayOf(%q) = %q, want %q", name, got, want)
		}
	}
}
