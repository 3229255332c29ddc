package customdata

import (
	"encoding/json"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// someTable is a table with a column of each type.
func someTable(t testing.TB) table {
	t.Helper()
	var args createArgs
	if err := json.Unmarshal([]byte(books), &args); err != nil {
		t.Fatal(err)
	}
	v := stored{Name: "books", Key: "books"}
	if err := v.addColumns("columns", args.Columns); err != nil {
		t.Fatal(err)
	}
	return table{ID: "k3f9q2x7m5ab", Value: v}
}

// FuzzFilter: whatever a filter is, it is refused with a reason, or the store takes its
// conditions.
func FuzzFilter(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `{}`, `[]`, `{"title":"Dune"}`, `{"TITLE":"x","title":"y"}`, `{"pages":0}`, `{"pages":-1.5e300}`, `{"pages":1e999}`,
		`{"read":false}`, `{"bought":"2026-11-23"}`, `{"due":"2026-11-23T09:00+01:00"}`, `{"extra":{}}`, `{"isbn":""}`,
		`{"isbn":null,"title":null,"pages":null,"read":null,"due":null}`, `{"title":"' OR 1=1 --"}`, `{"title":"a\u0000"}`, `{"id":"x"}`,
	} {
		f.Add(seed)
	}
	call := withBooks(f)
	t1 := someTable(f)
	f.Fuzz(func(t *testing.T, given string) {
		if !json.Valid([]byte(given)) {
			return // the engine refuses it
		}
		where, err := t1.Value.filter(tool.Object(given))
		if err == nil {
			_, err = call.Store.Query(t.Context(), shape(t1), tool.Query{Where: where, Limit: 1})
			if err != nil {
				t.Errorf("the store refuses %v of %s: %v", where, given, err)
			}
			return
		}
		if e := tool.AsError(err); e.Kind != tool.ValidationError || e.Msg == "" {
			t.Errorf("%s: %v, want a validation_error", given, err)
		}
	})
}

func TestFilterConditions(t *testing.T) {
	t1 := someTable(t)
	for given, want := range map[string]int{
		`null`: 0, ` {} `: 0, `{"title":"a","pages":3}`: 2, `{"pages":null}`: 2, `{"pages":0}`: 1, `{"read":null}`: 1,
	} {
		if where, err := t1.Value.filter(tool.Object(given)); err != nil || len(where) != want {
			t.Errorf("filter %s = %v, %v, want %d conditions", given, where, err, want)
		}
	}
}
