package preview

import (
	"fmt"
	"strings"
	"testing"
)

const typical = `{"url":"https://api.example.com/v1/orders?limit=20&cursor=abc","method":"POST","headers":{"Authorization":"Bearer abcdefghijklmnopqrstuvwxyz012345",` +
	`"Accept":"application/json","Content-Type":"application/json"},"body":"{\"order\":17,\"lines\":[{\"sku\":\"A-1\",\"n\":2}],\"note\":\"please call\"}","timeout":30000,"format":"auto"}`

const typicalSchema = `{"type":"object","properties":{"url":{"type":"string","minLength":1,"maxLength":16384},"method":{"type":"string","enum":["GET","POST"],"default":"GET"},` +
	`"headers":{"type":"object","additionalProperties":{"type":"string"}},"body":{"type":"string"},"key":{"type":"string"%s},"timeout":{"type":"number","minimum":1,"default":30000},` +
	`"format":{"type":"string","enum":["auto","text","raw"],"default":"auto"}},"required":["url"]}`

func BenchmarkOf(b *testing.B) {
	for _, bb := range []struct{ name, args, schema string }{
		{"typical", typical, fmt.Sprintf(typicalSchema, "")},
		{"marked", typical, fmt.Sprintf(typicalSchema, `,"writeOnly":true`)},
		{"one_text_1MiB", `{"a":"` + strings.Repeat("hello, <world> https://a.b/c ", 36_000) + `"}`, ""},
		{"assignments_1MiB", `{"a":"` + strings.Repeat("password=a://", 80_000) + `"}`, ""},
		{"tokens_1MiB", `{"a":"` + strings.Repeat("eyJ-sk-", 70_000) + "." + strings.Repeat("a.", 250_000) + `"}`, ""},
		{"keys_1MiB", `{"a":"` + strings.Repeat("-----BEGIN PRIVATE KEY-----", 38_000) + `"}`, ""},
		{"quotes_1MiB", `{"a":"` + strings.Repeat("pwd='", 200_000) + `"}`, ""},
		{"items_1MiB", `{"a":[` + strings.Repeat("1,", 500_000) + `1]}`, ""},
		{"members_1MiB", `{"a":{` + manyMembers(70_000) + `}}`, ""},
		{
			"nested_1MiB",
			strings.Repeat(`{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa<":`, 126) + `[` + strings.Repeat(`{"b":"\u200b"},`, 60_000) +
				`1]` + strings.Repeat("}", 126),
			"",
		},
		{"marked_1MiB", `{"a":[` + strings.Repeat("1,", 500_000) + `1]}`, fuzzSchema},
	} {
		b.Run(bb.name, func(b *testing.B) {
			args, schema := []byte(bb.args), []byte(bb.schema)
			b.ReportAllocs()
			b.SetBytes(int64(len(args)))
			for b.Loop() {
				if _, err := Of(args, schema); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func manyMembers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"Key_%d":1,`, i)
	}
	return strings.TrimSuffix(b.String(), ",")
}
