package provider

import "testing"

func TestReadOpenAI(t *testing.T) {
	testCalls(t, OpenAI, []callsCase{
		{"text", `{"role":"assistant","content":"Done."}`, nil, ""},
		{"an empty object", `{}`, nil, ""},
		{"null calls", `{"content":"x","tool_calls":null}`, nil, ""},
		{"no calls", `{"content":"x","tool_calls":[]}`, nil, ""},
		{
			"white space around",
			" {\n\"tool_calls\" : [ { \"id\" : \"a\" , \"function\" : { \"name\" : \"t\" , \"arguments\" : \"{}\" } } , " +
				"{\"id\":\"b\",\"function\":{\"name\":\"u\"}} ] } ",
			[]string{"a t {}", "b u {}"}, "",
		},
		{
			"the order is the message's", `{"tool_calls":[{"id":"z","function":{"name":"b"}},{"id":"a","function":{"name":"a"}}]}`,
			[]string{"z b {}", "a a {}"}, "",
		},
		{"names in escapes", `{"tool\u005fcalls":[{"id":"a","function":{"n\u0061me":"t"}}]}`, []string{"a t {}"}, ""},
		{
			"braces and quotes in texts", `{"content":"]}\"\\","tool_calls":[{"id":"]\\","function":{"name":"t","arguments":"{\"a\":\"}\\\\\"}"}}]}`,
			[]string{`]\ t {"a":"}\\"}`}, "",
		},
		{"unknown fields", `{"audio":{"id":[1,{"x":{}}]},"annotations":[],"tool_calls":[{"index":0,"id":"a","function":{"name":"t","arguments":"{}","strict":null},"extra":[]}]}`, []string{"a t {}"}, ""},
		{"half a character somewhere else", `{"content":"\ud800","tool_calls":[{"id":"a","function":{"name":"t"}}]}`, []string{"a t {}"}, ""},
		{"a field twice", `{"tool_calls":[],"tool_calls":[{"id":"a","function":{"name":"t"}}]}`, []string{"a t {}"}, ""},
		{"no type", `{"tool_calls":[{"id":"a","function":{"name":"t"}}]}`, []string{"a t {}"}, ""},
		{
			"a custom tool", `{"tool_calls":[{"id":"c","type":"custom","custom":{"name":"grep","input":"x"}},{"id":"d","type":"custom"},{"id":"a","type":"function","function":{"name":"t"}},{"id":"e","type":"other"}]}`,
			[]string{"c grep ! tools here are functions", "d  ! tools here are functions", "a t {}"}, "",
		},
		{
			"no function", `{"tool_calls":[{"id":"a","type":"function"},{"id":"b","type":"function","function":{"name":"t"}}]}`,
			[]string{"a  " + notAFunc, "b t {}"}, "",
		},
		{"a text as function", `{"tool_calls":[{"id":"a","function":"t"}]}`, []string{"a  " + notAFunc}, ""},
		{"a number as call", `{"tool_calls":[7,{"id":"b","function":{"name":"t"}}]}`, []string{"call_0  " + notAFunc, "b t {}"}, ""},
		{"an object as calls", `{"tool_calls":{"id":"a"}}`, nil, "tool_calls must be a list; send choices[0].message"},
		{"the whole response", `{"id":"chatcmpl-1","choices":[{"message":{"tool_calls":[]}}]}`, nil, "send its choices[0].message"},
	})
}

func TestReadResponses(t *testing.T) {
	testCalls(t, Responses, []callsCase{
		{"text", `{"object":"response","output":[{"type":"message","content":[{"type":"output_text","text":"Done."}]}]}`, nil, ""},
		{"no items", `{"output":[]}`, nil, ""},
		{"reasoning, text and what the provider ran are skipped", `{"output":[{"type":"reasoning","id":"rs_1","summary":[]},{"type":"function_call","id":"fc_1","call_id":"a","name":"t","arguments":"{\"n\":1}","status":"completed"},{"type":"message","content":[]},{"type":"web_search_call","id":"ws_1"},{"type":"custom_tool_call","call_id":"c","name":"grep","input":"x"},{"type":"function_call","call_id":"b","name":"u","arguments":""}]}`,
			[]string{`a t {"n":1}`, "c grep ! tools here are functions", "b u {}"}, ""},
		{
			"the id of the item is not the id of the call", `{"output":[{"type":"function_call","id":"fc_1","name":"t"}]}`,
			[]string{"call_0 t {}"}, "",
		},
		{
			"incomplete, though it looks whole",
			`{"status":"incomplete","output":[{"type":"function_call","call_id":"a","name":"t","arguments":"{}","status":"incomplete"}]}`,
			[]string{"a t ! the call was cut off"}, "",
		},
		{"an item without a type", `{"output":[{"call_id":"a","name":"t"}]}`, nil, ""},
		{"a number as item", `{"output":[7]}`, nil, "output[0] must be an object"},
		{"an object as output", `{"output":{}}`, nil, "output must be a list; send the whole Response"},
		{"null output", `{"output":null}`, nil, "output must be a list"},
		{"an item alone", `{"type":"function_call","call_id":"a","name":"t"}`, nil, "output must be a list"},
	})
}

func TestReadAnthropic(t *testing.T) {
	testCalls(t, Anthropic, []callsCase{
		{"text", `{"type":"message","role":"assistant","content":[{"type":"text","text":"Done."}],"stop_reason":"end_turn"}`, nil, ""},
		{"no blocks", `{"content":[]}`, nil, ""},
		{"text, thinking and what the provider ran are skipped", `{"content":[{"type":"thinking","thinking":"…","signature":"x"},{"type":"text","text":"I look."},{"type":"tool_use","id":"toolu_1","name":"t","input":{"n":1}},{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}},{"type":"tool_use","id":"toolu_2","name":"u","input":{}}],"stop_reason":"tool_use"}`,
			[]string{`toolu_1 t {"n":1}`, "toolu_2 u {}"}, ""},
		{
			"cut off in the last call, though it looks whole",
			`{"content":[{"type":"tool_use","id":"a","name":"t","input":{}},{"type":"tool_use","id":"b","name":"t","input":{}}],"stop_reason":"max_tokens"}`,
			[]string{"a t {}", "b t ! the call was cut off"}, "",
		},
		{
			"cut off where the context was full",
			`{"content":[{"type":"tool_use","id":"a","name":"t","input":{}}],"stop_reason":"model_context_window_exceeded"}`,
			[]string{"a t ! the call was cut off"}, "",
		},
		{
			"cut off in the text behind it",
			`{"stop_reason":"max_tokens","content":[{"type":"tool_use","id":"a","name":"t","input":{}},{"type":"text","text":"And"}]}`,
			[]string{"a t {}"}, "",
		},
		{"a block without a type", `{"content":[{"type":"tool_use","id":"a","name":"t"},{"id":"b","name":"t"}]}`, []string{"a t {}"}, ""},
		{"a text as content", `{"role":"assistant","content":"Done."}`, nil, "content must be a list of blocks; send the Message"},
		{"an object as content", `{"content":{"type":"tool_use"}}`, nil, "content must be a list"},
		{"no content", `{"role":"assistant"}`, nil, "content must be a list"},
		{"a text as block", `{"content":[{"type":"text","text":"x"},"y"]}`, nil, "content[1] must be an object"},
	})
}

func TestReadGemini(t *testing.T) {
	testCalls(t, Gemini, []callsCase{
		{"text", `{"role":"model","parts":[{"text":"Done."}]}`, nil, ""},
		{"stopped before it said anything", `{"role":"model"}`, nil, ""},
		{"null parts", `{"parts":null}`, nil, ""},
		{"no parts", `{"parts":[]}`, nil, ""},
		{
			"text and thoughts are skipped",
			`{"role":"model","parts":[{"text":"I look.","thought":true},{"functionCall":{"name":"t","args":{"n":1}},"thoughtSignature":"eA=="},{"functionCall":{"id":"x","name":"t","args":{}}}]}`,
			[]string{` t {"n":1}`, "x t {}"}, "",
		},
		{
			"as the Python SDK dumps it", `{"parts":[{"text":null,"function_call":{"id":null,"name":"t","args":{}},"function_response":null}]}`,
			[]string{" t {}"}, "",
		},
		{"a null call", `{"parts":[{"functionCall":null,"text":"x"}]}`, nil, ""},
		{"a text as call", `{"parts":[{"functionCall":"t"}]}`, []string{"  ! the functionCall must be an object"}, ""},
		{"a text as part", `{"parts":["x"]}`, nil, "parts[0] must be an object"},
		{"a text as parts", `{"parts":"x"}`, nil, "parts must be a list; send candidates[0].content"},
		{"the whole response", `{"candidates":[{"content":{"parts":[]}}]}`, nil, "send its candidates[0].content"},
	})
}
