package api

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/provider"
)

const (
	someTrace = "0123456789abcdef0123456789abcdef"
	aCall     = `"calls":[{"tool":"a"}]`
)

// typical is the body of one call as a front end sends it.
const typical = `{"context":{"user":"u1","agent":"a1","conversation":"c1"},"trace_id":"` + someTrace + `",` +
	`"calls":[{"call_id":"0198c0de-7e57-7000-8000-000000000001","tool_call_id":"call_abc","tool":"read_file",` +
	`"arguments":{"path":"notes/today.txt","encoding":"utf-8","start_line":1,"end_line":20},"timeout_ms":5000}],"wait_ms":30000}`

func parse(tb testing.TB, body string) dispatch.Request {
	tb.Helper()
	req, err := ParseExecute([]byte(body), Limits{})
	if err != nil {
		tb.Fatalf("ParseExecute(%.200s) = %v", body, err)
	}
	if req.Format != "" || req.Message != nil {
		tb.Errorf("ParseExecute(%.200s) finds a message of %q: %s", body, req.Format, req.Message)
	}
	return req.Request
}

func TestParseMessage(t *testing.T) {
	const message = `{"role":"assistant","tool_calls":[{"id":"a"}]}`
	got, err := ParseExecute([]byte(`{"message":`+message+`,"context":{"user":"u1"},"format":"openai","wait_ms":0,"call_id_prefix":"p"}`),
		Limits{})
	if err != nil || got.CallIDs != "p" || got.Format != provider.OpenAI || string(got.Message) != message || got.User != "u1" ||
		got.Calls != nil {
		t.Errorf("ParseExecute = %+v, %v, want the message as it came", got, err)
	}
}

func TestParseExecute(t *testing.T) {
	want := dispatch.Request{
		User: "u1", Agent: "a1", Conversation: "c1", TraceID: someTrace, Wait: 30 * time.Second,
		Calls: []dispatch.Call{{Call: call.Call{
			ID: "0198c0de-7e57-7000-8000-000000000001", ToolCallID: "call_abc", Tool: "read_file",
			Arguments: []byte(`{"path":"notes/today.txt","encoding":"utf-8","start_line":1,"end_line":20}`),
			TimeoutMS: 5000,
		}}},
	}
	if diff := cmp.Diff(want, parse(t, typical), cmpopts.IgnoreUnexported(dispatch.Call{})); diff != "" {
		t.Errorf("ParseExecute (-want +got):\n%s", diff)
	}

	if got := parse(t, `{"context":{"timezone":"America/New_York"},`+aCall+`}`); got.Timezone != "America/New_York" {
		t.Errorf("the zone is %q", got.Timezone)
	}

	want = dispatch.Request{Wait: 30 * time.Second, Calls: []dispatch.Call{{Call: call.Call{Tool: "a"}}}}
	for _, body := range []string{
		`{"calls":[{"tool":"a"}]}`,
		" {\n\t\"calls\" : [ { \"tool\" : \"\\u0061\" } ] }\r\n ",
		`{"c\u0061lls":[{"t\u006fol":"a"}]}`,
		`{"context":null,"trace_id":null,"wait_ms":null,"consent":null,"format":null,"message":null,"calls":[{"tool":"a","call_id":null,"tool_call_id":null,"arguments":null,"confirm_token":null,"timeout_ms":null,"priority":null}]}`,
		`{"unknown":[{"calls":1,"calls":2}],"unknown":1,"context":{"user":null,"more":[],"more":0},"calls":[{"tool":"a","more":{},"more":-1.5e+3}]}`,
		`{"calls":[{"tool":"a"}],"consent":"return"}`,
	} {
		if diff := cmp.Diff(want, parse(t, body), cmpopts.IgnoreUnexported(dispatch.Call{})); diff != "" {
			t.Errorf("ParseExecute(%s) (-want +got):\n%s", body, diff)
		}
	}
}

func TestParseExecuteOrder(t *testing.T) {
	got := parse(t,
		`{"calls":[{"tool":"c"},{"tool":"a","confirm_token":"t","priority":"batch"},{"tool":"b","priority":"interactive"}],"consent":"wait"}`)
	want := []dispatch.Call{{Call: call.Call{Tool: "c"}}, {Call: call.Call{Tool: "a", ConfirmToken: "t", Priority: "batch"}}, {Call: call.Call{Tool: "b"}}}
	if diff := cmp.Diff(want, got.Calls, cmpopts.IgnoreUnexported(dispatch.Call{})); diff != "" || !got.ConsentWait {
		t.Errorf("ParseExecute: ConsentWait %v, calls (-want +got):\n%s", got.ConsentWait, diff)
	}
}

func TestParseExecuteWait(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0": 0, "-0": 0, "1": time.Millisecond, "1500.5": 1500500 * time.Microsecond, "1e3": time.Second,
		"1e-30": 1, "300000": 5 * time.Minute, "300001": 5 * time.Minute, "1e300": 5 * time.Minute, "1e999999": 5 * time.Minute,
	} {
		if got := parse(t, `{"wait_ms":`+text+`,`+aCall+`}`); got.Wait != want {
			t.Errorf("wait_ms %s is %v, want %v", text, got.Wait, want)
		}
	}
	if got := parse(t, `{"calls":[{"tool":"a","timeout_ms":1e999}]}`).Calls[0]; got.TimeoutMS != math.MaxInt64/int64(1e6) || got.Problem != nil {
		t.Errorf("timeout_ms 1e999 is %v, %v", got.Timeout(), got.Problem)
	}
	if got := parse(t, `{"calls":[{"tool":"a","timeout_ms":0.2}]}`).Calls[0]; got.TimeoutMS != 1 || got.Problem != nil {
		t.Errorf("timeout_ms 0.2 is %v, %v, want the shortest time: 0 is none", got.Timeout(), got.Problem)
	}
}

func TestParseExecuteRefuses(t *testing.T) {
	for _, tt := range []struct{ body, want string }{
		{``, "ends at byte 0"},
		{` `, "ends at byte 1"},
		{`{`, "ends at byte 1"},
		{"\xef\xbb\xbf{}", "byte 0"},
		{`[]`, "the body must be an object, not an array"},
		{`"x"`, "the body must be an object, not a string"},
		{`{` + aCall + `} x`, `is 'x', expected nothing after the object`},
		{`{` + aCall + "}\x00", "expected nothing after the object"},
		{`{` + aCall + `,}`, "expected a name in quotes"},
		{`{` + aCall + ` "a":1}`, "expected a comma or }"},
		{`{"calls":[{"tool":"a"},]}`, "expected a value"},
		{`{"calls" [`, "expected a colon"},
		{`{"calls":[{"tool":"a","arguments":{"a":01}}]}`, "expected a comma or }"},
		{`{"calls":[{"tool":"a","arguments":{"a":"` + "\n" + `"}}]}`, "raw control character"},
		{`{"calls":[{"tool":"a","arguments":[1,2}}]}`, "expected a comma or ]"},
		{`{"calls":[{"tool":"a","arguments":nul}]}`, "expected a value"},
		{"{\"a\":\"\xff\"," + aCall + "}", "not UTF-8"},
		{"{\"calls\":[{\"tool\":\"a\",\"arguments\":{\"x\":\"\xc3\"}}]}", "not UTF-8"},

		{`{}`, "calls is missing"},
		{`{"calls":[]}`, "calls is missing or empty"},
		{`{"calls":null}`, "calls is missing"},
		{`{"calls":{}}`, "calls must be an array, not an object"},
		{`{"calls":[{"tool":"a"},5]}`, "calls[1] must be an object, not a number"},
		{`{"calls":[null]}`, "calls[0] must be an object, not null"},
		{`{` + aCall + `,` + aCall + `}`, `the body has "calls" twice`},
		{`{"wait_ms":null,"wait_ms":1,` + aCall + `}`, `"wait_ms" twice`},

		{`{"context":[],` + aCall + `}`, "context must be an object, not an array"},
		{`{"context":{"user":5},` + aCall + `}`, "context.user must be a string, not a number"},
		{`{"context":{"user":""},` + aCall + `}`, "context.user must match"},
		{`{"context":{"agent":"a b"},` + aCall + `}`, `context.agent must match [A-Za-z0-9_-]{1,64}, but it is "a b"`},
		{`{"context":{"conversation":"` + strings.Repeat("x", 65) + `"},` + aCall + `}`, "context.conversation must match"},
		{`{"context":{"user":"a","user":"b"},` + aCall + `}`, "context.user is there twice"},
		{`{"context":{"toolset":["all"]},` + aCall + `}`, "context.toolset must be a string, not an array"},
		{`{"context":{"toolset":"code","toolset":"all"},` + aCall + `}`, "context.toolset is there twice"},
		{`{"context":{"timezone":1},` + aCall + `}`, "context.timezone must be a string, not a number"},
		{`{"context":{"timezone":"UTC","timezone":"UTC"},` + aCall + `}`, "context.timezone is there twice"},
		{`{"context":{"timezone":""},` + aCall + `}`, "context.timezone must be a name of the IANA database"},
		{`{"context":{"timezone":"Mars/Base"},` + aCall + `}`, `such as Europe/Berlin, but it is "Mars/Base"`},
		{`{"context":{"timezone":"Local"},` + aCall + `}`, "context.timezone must be a name"},
		{`{"context":{"timezone":"right/Europe/Berlin"},` + aCall + `}`, "context.timezone must be a name"},
		{`{"context":{"timezone":"../../etc/passwd"},` + aCall + `}`, "context.timezone must be a name"},
		{`{"context":{"timezone":"` + strings.Repeat("x", 1<<20) + `"},` + aCall + `}`, "context.timezone must be a name"},
		{`{"trace_id":5,` + aCall + `}`, "trace_id must be a string, not a number"},
		{`{"trace_id":"",` + aCall + `}`, "trace_id must be 32"},
		{`{"trace_id":"` + strings.ToUpper(someTrace) + `",` + aCall + `}`, "trace_id must be 32"},
		{`{"trace_id":"` + strings.Repeat("0", 32) + `",` + aCall + `}`, "not all zero"},
		{`{"wait_ms":-1,` + aCall + `}`, "wait_ms must be a number"},
		{`{"wait_ms":"5",` + aCall + `}`, "wait_ms must be a number"},
		{`{"wait_ms":-1e999,` + aCall + `}`, "wait_ms must be a number"},
		{`{"consent":"ask",` + aCall + `}`, `consent must be "return" or "wait"`},
		{`{"consent":"tell",` + aCall + `}`, `consent "tell" requires message`},
		{`{"consent":true,` + aCall + `}`, `consent must be "return" or "wait"`},
		{`{"format":"openai"}`, "message is missing"},
		{`{"format":"openai","message":null}`, "message is missing"},
		{`{"message":{}}`, "format is missing; say which provider's model wrote the message: openai, openai_responses, anthropic, gemini"},
		{`{"format":"grok","message":{}}`, `format "grok" is not known`},
		{`{"format":"mcp","message":{}}`, `format "mcp" is not known`},
		{`{"format":{},"message":{}}`, "format must be a string, not an object"},
		{`{"format":"openai","message":{},"call_id_prefix":"a b"}`, `call_id_prefix must match [A-Za-z0-9_-]{1,123}, but it is "a b"`},
		{`{"call_id_prefix":"a",` + aCall + `}`, "requires message"},
		{`{"format":"openai","message":{},"priority":"soon"}`, `priority must be "interactive" or "batch", but it is "soon"`},
		{`{"format":"openai","message":{},"priority":1}`, "priority must be a string"},
		{`{"priority":"batch",` + aCall + `}`, "give each of calls its own"},
		{`{"message":{},` + aCall + `}`, "cannot be combined with calls"},
		{`{"format":"openai",` + aCall + `}`, "cannot be combined with calls"},
		{`{"format":"openai","calls":[]}`, "cannot be combined with calls"},
	} {
		_, err := ParseExecute([]byte(tt.body), Limits{})
		var got *RequestError
		if !errors.As(err, &got) || got.Type != "bad_request" || got.Status != 400 || !strings.Contains(got.Msg, tt.want) {
			t.Errorf("ParseExecute(%.100q) = %v, want bad_request with %q", tt.body, err, tt.want)
		}
	}
}

func TestParseExecuteLimits(t *testing.T) {
	limits := Limits{Body: 60, Calls: 2}
	for body, want := range map[string]string{
		`{"calls":[{"tool":"a"},{"tool":"b"}]}`:                          "",
		`{"calls":[{"tool":"a"},{"tool":"b"},{"tool":"c"}]}`:             "more than 2 elements",
		`{"calls":[{"tool":"a","x":"` + strings.Repeat("x", 60) + `"}]}`: "larger than 60 bytes",
	} {
		_, err := ParseExecute([]byte(body), limits)
		var got *RequestError
		switch errors.As(err, &got); {
		case want == "" && err != nil:
			t.Errorf("ParseExecute(%s) = %v", body, err)
		case want != "" && (got == nil || got.Type != "too_large" || got.Status != 413 || !strings.Contains(got.Msg, want)):
			t.Errorf("ParseExecute(%s) = %v, want too_large with %q", body, err, want)
		}
	}
}
