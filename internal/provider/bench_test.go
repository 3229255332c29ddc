package provider

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/tools"
	"github.com/helve-dev/helve/tool"
)

// catalogue returns the definitions of all built-in tools, in a fixed order.
func catalogue() []*tool.Definition {
	var defs []*tool.Definition
	for _, set := range tools.Builtin() {
		for _, t := range set.Tools() {
			defs = append(defs, &t.Definition)
		}
	}
	return defs
}

// twoHundred is the catalogue, and copies of its first tools under other names.
func twoHundred() []*tool.Definition {
	defs := catalogue()
	for i := 0; len(defs) < 200; i++ {
		other := *defs[i]
		other.Name += "_again"
		defs = append(defs, &other)
	}
	return defs[:200]
}

// BenchmarkDefinitions writes 200 definitions that nobody asked for before, and then
// those that somebody did.
func BenchmarkDefinitions(b *testing.B) {
	defs := twoHundred()
	for _, f := range Formats() {
		b.Run("cold/"+string(f), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := f.write(defs); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("cached/"+string(f), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := f.Tools(defs); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkMessage reads a message of 20 calls and writes their results.
func BenchmarkMessage(b *testing.B) {
	outcomes := make([]Outcome, 20)
	for i := range outcomes {
		outcomes[i] = Outcome{
			Status: "success",
			Result: json.RawMessage(`{"path":"notes.txt","bytes":512,"lines":["first <line>","second & last"],"truncated":false}`),
		}
	}
	for f, message := range twentyCalls() {
		b.Run(string(f), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				calls, err := f.Calls(message)
				if err != nil || len(calls) != 20 {
					b.Fatal(len(calls), err)
				}
				if _, err := f.Messages(calls, outcomes); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// twentyCalls returns a message of twenty calls in each format.
func twentyCalls() map[Format]json.RawMessage {
	const args = `{"path":"projects/2026/notes.txt","content":"A line of \"text\" to write down.\nAnd a second.","append":true,"limit":20}`
	calls := func(around, each string, values ...func(i int) any) json.RawMessage {
		list := make([]string, 20)
		for i := range list {
			filled := make([]any, len(values))
			for j, value := range values {
				filled[j] = value(i)
			}
			list[i] = fmt.Sprintf(each, filled...)
		}
		return json.RawMessage(fmt.Sprintf(around, strings.Join(list, ",")))
	}
	id := func(i int) any { return fmt.Sprintf("call_%024d", i) }
	object := func(int) any { return args }
	text := func(int) any { return string(quote(nil, args)) }
	return map[Format]json.RawMessage{
		OpenAI: calls(`{"role":"assistant","content":null,"refusal":null,"tool_calls":[%s]}`,
			`{"id":%q,"type":"function","function":{"name":"write_file","arguments":%s}}`, id, text),
		Responses: calls(`{"id":"resp_1","object":"response","status":"completed","output":[%s]}`,
			`{"id":"fc_1","type":"function_call","status":"completed","call_id":%q,"name":"write_file","arguments":%s}`, id, text),
		Anthropic: calls(`{"id":"msg_1","type":"message","role":"assistant","content":[%s],"stop_reason":"tool_use"}`,
			`{"type":"tool_use","id":%q,"name":"write_file","input":%s}`, id, object),
		Gemini: calls(`{"role":"model","parts":[%s]}`, `{"functionCall":{"id":%q,"name":"write_file","args":%s}}`, id, object),
	}
}
