package customdata

import (
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestListCustomRecords(t *testing.T) {
	call := withBooks(t)
	for _, data := range []string{
		`{"title":"a","isbn":"1","pages":0,"read":true,"bought":"2026-11-20"}`,
		`{"title":"b","isbn":"","pages":300,"due":"2026-11-23T09:00+01:00"}`,
		`{"title":"c%_'\"","pages":-1.5,"read":null,"extra":{"k":1}}`,
		`{"title":"` + strings.Repeat("long ", 100) + `"}`,
	} {
		add(t, call, "books", data)
	}
	long := strings.Repeat("long ", 100)
	for filter, want := range map[string]string{
		`{}`:                                  long + `, c%_'", b, a`,
		`{"title":"a"}`:                       "a",
		`{"Title":"a","read":true}`:           "a",
		`{"title":"a","read":false}`:          "",
		`{"title":"A"}`:                       "",
		`{"title":"%"}`:                       "",
		`{"title":"c%_'\""}`:                  `c%_'"`,
		`{"title":"' OR 1=1 --"}`:             "",
		`{"title":"` + long + `"}`:            long,
		`{"title":"` + long + `x"}`:           "",
		`{"isbn":""}`:                         "b",
		`{"isbn":null}`:                       long + `, c%_'"`,
		`{"pages":0}`:                         "a",
		`{"pages":null}`:                      long,
		`{"pages":300.0}`:                     "b",
		`{"pages":-1.5}`:                      `c%_'"`,
		`{"read":false}`:                      long + `, b`,
		`{"read":null}`:                       `c%_'"`,
		`{"bought":"2026-11-20"}`:             "a",
		`{"bought":null}`:                     long + `, c%_'", b`,
		`{"due":"2026-11-23T09:00:00+01:00"}`: "b",
	} {
		if got := found(t, call, "list_custom_records", `{"table":"books","limit":20,"filter":`+filter+`}`, "title"); got != want {
			t.Errorf("%.60s lists %.80q, want %.80q", filter, got, want)
		}
	}
	for args, want := range map[string]string{
		`"limit":1`: long, `"limit":1,"offset":2`: "b", `"limit":2,"offset":3`: "a", `"limit":2,"offset":99999999999`: "",
	} {
		if got := found(t, call, "list_custom_records", `{"table":"books",`+args+`}`, "title"); got != want {
			t.Errorf("%s lists %.80q, want %.80q", args, got, want)
		}
	}
	tooltest.Run(t, Set, "list_custom_records", call, []tooltest.Case{
		{
			Name:    "unknown column",
			Args:    `{"table":"books","limit":20,"filter":{"writer":"x"}}`,
			Fails:   tool.ValidationError,
			Message: `filter: the table books has no column "writer"; its columns are`,
		},
		{
			Name:    "hostile column",
			Args:    `{"table":"books","limit":20,"filter":{"c1' OR 1=1":"x"}}`,
			Fails:   tool.ValidationError,
			Message: "has no column",
		},
		{
			Name:    "type",
			Args:    `{"table":"books","limit":20,"filter":{"pages":"x"}}`,
			Fails:   tool.ValidationError,
			Message: "filter.pages: it must be a number",
		},
		{
			Name:    "json",
			Args:    `{"table":"books","limit":20,"filter":{"extra":{"k":1}}}`,
			Fails:   tool.ValidationError,
			Message: "extra is a json column",
		},
		{
			Name:    "operators",
			Args:    `{"table":"books","limit":20,"filter":{"pages":{"$gt":1}}}`,
			Fails:   tool.ValidationError,
			Message: "not an object",
		},
		{Name: "NUL", Args: `{"table":"books","limit":20,"filter":{"title":"a\u0000"}}`, Fails: tool.ValidationError, Message: "NUL"},
		{Name: "no object", Args: `{"table":"books","limit":20,"filter":[]}`, Fails: tool.ValidationError, Message: "filter"},
		{Name: "negative offset", Args: `{"table":"books","limit":20,"offset":-1}`, Fails: tool.ValidationError, Message: "offset"},
	})
	for i := range 60 {
		add(t, call, "books", fmt.Sprintf(`{"title":"t%d"}`, i))
	}
	got := play[listResult](t, call, "list_custom_records", `{"table":"books","limit":50,"offset":4}`)
	if got.Total != 64 || got.Count != 50 || !got.HasMore || !got.Truncated ||
		!strings.HasPrefix(got.Message, "50 of 64 record(s) in books") || text(t, got.Records[0], "title") != "t55" {
		t.Errorf("of 64: %d in total, %d, more %v, %q", got.Total, got.Count, got.HasMore, got.Message)
	}
	unknownTable(t, "list_custom_records", `,"limit":20`)
}
