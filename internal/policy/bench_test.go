package policy

import (
	"testing"

	"github.com/helve-dev/helve/tool"
)

var sink Decision

func BenchmarkDecide(b *testing.B) {
	for _, bb := range []struct {
		name, rules string
		def         *tool.Definition
	}{
		{"table", "", httpRequest},
		{"100rules", manyRules(100), httpRequest},
		{"100rules_arguments", manyRules(100) + `forbid(principal, action == Action::"execute", resource == Tool::"http_request") when { context.arguments has url && context.arguments.url like "http://*" };`, httpRequest},
		{"100rules_all_match_head", everybody(100), httpRequest},
		{"1000rules_all_match_head", everybody(1000), httpRequest},
		{"10000rules", manyRules(10_000), httpRequest},
	} {
		p := of(b, Options{}, bb.rules)
		in := call(bb.def, `{"url": "https://api.example.com/v1/things", "method": "POST", "body": "some text", "timeout": 30000}`)
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sink = p.Decide(in)
			}
		})
	}
}

// BenchmarkLoad parses, checks and indexes 10,000 rules.
func BenchmarkLoad(b *testing.B) {
	src := []source{{"many.cedar", []byte(manyRules(10_000))}}
	for b.Loop() {
		if _, err := parse(src); err != nil {
			b.Fatal(err)
		}
	}
}
