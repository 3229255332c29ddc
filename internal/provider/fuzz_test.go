package provider

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/helve-dev/helve/internal/jsonx/schema"
)

func FuzzOpenAI(f *testing.F)    { fuzzFormat(f, OpenAI) }
func FuzzResponses(f *testing.F) { fuzzFormat(f, Responses) }
func FuzzAnthropic(f *testing.F) { fuzzFormat(f, Anthropic) }
func FuzzGemini(f *testing.F)    { fuzzFormat(f, Gemini) }

// fuzzFormat checks that, for any input, every call found has arguments or a problem,
// and is answered in JSON.
func fuzzFormat(f *testing.F, format Format) {
	f.Add([]byte(oneCall(format, `"a"`, `"t"`, `{"n":1}`)))
	f.Add([]byte(oneCall(format, `"\ud83d"`, `"\u0000<"`, `"{\"n\":"`)))
	f.Add([]byte(oneCall(format, `7`, `null`, `[[]]`)))
	f.Add([]byte(oneCall(format, ``, ``, ``)))
	f.Add([]byte(`{"tool_calls":[1,{"function":[]}],"output":[],"content":[],"parts":[{"function_call":1}]}`))
	f.Add([]byte("{\"\xff\":\"\\ud800\"}"))
	f.Fuzz(func(t *testing.T, message []byte) {
		calls, err := format.Calls(message)
		if err != nil {
			if len(calls) > 0 || err.Error() == "" {
				t.Fatalf("%d calls beside the error %q", len(calls), err)
			}
			return
		}
		outcomes := make([]Outcome, len(calls))
		for i, c := range calls {
			if c.Problem == nil && (c.Arguments == nil || c.Name == "") {
				t.Fatalf("call %d can run, but is %+v", i, c)
			}
			if c.Arguments != nil && schema.Strict(c.Arguments) != nil {
				t.Fatalf("call %d has the arguments %s", i, c.Arguments)
			}
			if len(c.ID) > 256 || !utf8.ValidString(c.ID) || format != Gemini && c.ID == "" {
				t.Fatalf("call %d has the id %q", i, c.ID)
			}
			outcomes[i] = Outcome{Status: "success", Result: c.Arguments, Text: &c.Name}
			if c.Problem != nil {
				outcomes[i] = Outcome{Status: "error", ErrorType: string(c.Problem.Kind), Message: c.Problem.Msg}
			}
		}
		answer, err := format.Messages(calls, outcomes)
		if err != nil || !json.Valid(answer) {
			t.Fatalf("Messages = %s, %v", answer, err)
		}
		if got := strings.Count(string(answer), `"status`) + strings.Count(string(answer), `\"status`); got < len(calls) {
			t.Fatalf("%d calls got %d answers: %s", len(calls), got, answer)
		}
	})
}

// FuzzDefinition: whatever the schema, what is written is JSON, within the restrictions
// of each provider.
func FuzzDefinition(f *testing.F) {
	for _, tt := range nasty {
		f.Add([]byte(tt.schema))
	}
	f.Fuzz(func(t *testing.T, parameters []byte) {
		def := definitionOf(string(parameters))
		for _, format := range Formats() {
			text, err := format.write(def)
			if json.Valid(parameters) && err != nil && utf8.Valid(parameters) {
				t.Fatalf("%s refuses %s: %v", format, parameters, err)
			}
			if err == nil && !json.Valid(text) {
				t.Fatalf("%s of %s is not JSON: %s", format, parameters, text)
			}
			if err == nil && utf8.Valid(parameters) {
				for _, problem := range broken(format, text) {
					t.Errorf("%s of %s: %s", format, parameters, problem)
				}
			}
		}
	})
}
