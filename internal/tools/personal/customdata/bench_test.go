package customdata

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/helve-dev/helve/tool/tooltest"
)

// BenchmarkRecords measures calls on a table of 100,000 records.
func BenchmarkRecords(b *testing.B) {
	const records = 100_000
	call := withBooks(b)
	s := call.Store.(*tooltest.Store).For("default", "ann")
	own := call
	own.Store = s
	t1, err := findTable(b.Context(), &own, "books")
	if err != nil {
		b.Fatal(err)
	}
	for i := range records {
		v, err := t1.Value.new("data",
			[]byte(fmt.Sprintf(`{"title":"Book %d of the library","isbn":"%d","pages":%d,"read":%v,"bought":"2026-11-%02d","extra":{"shelf":"s%d"}}`,
				i, i, i%1000, i%10 == 0, i%28+1, i%50)))
		if err == nil {
			_, _, err = insert(b.Context(), &own, t1, v)
		}
		if err == nil && i%1000 == 999 {
			err = s.Commit(b.Context())
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	id := found(b, call, "list_custom_records", `{"table":"books","limit":1,"filter":{"isbn":"50000"}}`, "id")
	for _, c := range []struct{ title, name, args string }{
		{"list", "list_custom_records", `{"table":"books","limit":20}`},
		{"deep", "list_custom_records", `{"table":"books","limit":20,"offset":90000}`},
		{"filter one", "list_custom_records", `{"table":"books","limit":20,"filter":{"isbn":"77777"}}`},
		{"filter 100", "list_custom_records", `{"table":"books","limit":20,"filter":{"pages":500}}`},
		{"filter 90000", "list_custom_records", `{"table":"books","limit":20,"filter":{"read":false}}`},
		{"search one", "search_custom_records", `{"table":"books","limit":20,"query":"book 77777"}`},
		{"search 2000", "search_custom_records", `{"table":"books","limit":20,"query":"s33"}`},
		{"search all", "search_custom_records", `{"table":"books","limit":20,"query":"library"}`},
		{"get", "get_custom_record", `{"recordId":"` + id + `"}`},
		{"describe", "describe_custom_table", `{"table":"books"}`},
		{"rename", "update_custom_table", ""},
		{"update", "update_custom_record", ""},
		{"add", "add_custom_record", ""},
	} {
		n := 0
		b.Run(c.title, func(b *testing.B) {
			for b.Loop() {
				n++
				args := c.args
				switch c.title {
				case "rename":
					args = fmt.Sprintf(`{"table":"books","rename":{"%s":"%s"}}`, []string{"bought", "day"}[(n+1)%2], []string{"bought", "day"}[n%2])
				case "update":
					args = fmt.Sprintf(`{"recordId":"%s","data":{"pages":%d}}`, id, 2000+n)
				case "add":
					args = fmt.Sprintf(`{"table":"books","data":{"title":"new","isbn":"new-%d"}}`, n)
				}
				play[json.RawMessage](b, call, c.name, args)
			}
		})
	}
	b.Run("drop", func(b *testing.B) {
		for b.Loop() {
			play[json.RawMessage](b, call, "update_custom_table",
				`{"table":"books","drop":["pages"],"add":[{"name":"pages","type":"number","defaultValue":1}]}`)
		}
	})
	b.Run("after the drop", func(b *testing.B) {
		for b.Loop() {
			play[json.RawMessage](b, call, "list_custom_records", `{"table":"books","limit":20,"filter":{"pages":1}}`)
		}
	})
	b.Run("delete", func(b *testing.B) {
		if _, err := try(b, call, "delete_custom_table", `{"table":"books"}`); err != nil && b.N == 1 {
			b.Fatal(err) // a further run finds it deleted
		}
	})
}
