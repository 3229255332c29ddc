package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/tool"
)

// FuzzParseExecute holds our scanner to encoding/json's opinion of what is JSON
// and checks that what comes out keeps the promises of the protocol.
func FuzzParseExecute(f *testing.F) {
	for _, seed := range []string{
		typical,
		`{` + aCall + `}`,
		`{"calls":[{"tool":"a","arguments":"{\"x\":1}"},{"tool":"b","arguments":{"x":[1e5,-0.5,true,null,"\u00e9\ud83d\ude00"]}}],"wait_ms":1.5}`,
		`{"calls":[{"tool":"a","arguments":{"x":1,"x":2}},{"tool":"a","call_id":"\ud800"}],"consent":"wait"}`,
		`{"calls":[{"tool":"a","arguments":` + deep(300) + `}]}`,
		`{"context":{"user":"u"},"trace_id":"x","format":"openai","message":{}}`,
		strings.Repeat("[", 1000), "{", `{"a":"\`, `{"a":-}`, `{"a":1.}`, `{"a":1e}`, `{"a":"\u12"}`, "\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		sent := bytes.Clone(body)
		req, err := ParseExecute(body, Limits{Calls: 50})
		if !bytes.Equal(body, sent) {
			t.Fatal("the body was changed")
		}
		shallow := bytes.Count(body, []byte("["))+bytes.Count(body, []byte("{")) < 10_000 // encoding/json refuses deeper ones
		text := shallow && json.Valid(body) && utf8.Valid(body)
		if err != nil {
			e, ok := errors.AsType[*RequestError](err)
			if !ok || e.Status != 400 && e.Status != 413 || !utf8.ValidString(e.Msg) || len(e.Msg) > 1000 {
				t.Fatalf("error %#v", err)
			}
			if text && strings.Contains(e.Msg, "not JSON") {
				t.Fatalf("ParseExecute calls valid JSON invalid: %v", err)
			}
			return
		}
		if shallow && !text {
			t.Fatal("ParseExecute accepts what is not JSON")
		}
		if (len(req.Calls) == 0) != (req.Format != "") || (req.Format != "") != (req.Message != nil) || len(req.Calls) > 50 || req.Wait < 0 {
			t.Fatalf("request %+v", req)
		}
		for _, c := range req.Calls {
			checkCall(t, c)
		}
	})
}

func checkCall(t *testing.T, c dispatch.Call) {
	t.Helper()
	if c.ID != "" && !validName(c.ID, maxCallID) || len(c.ToolCallID) > maxToolCallID || len(c.Tool) > tool.MaxNameLength || c.Timeout() < 0 {
		t.Fatalf("call %+v", c)
	}
	if c.Problem == nil && !tool.ValidName(c.Tool) {
		t.Fatalf("the tool name %q passed", c.Tool)
	}
	if c.Problem == nil && c.Arguments != nil && (!json.Valid(c.Arguments) || bytes.TrimLeft(c.Arguments, " \t\r\n")[0] != '{') {
		t.Fatalf("the arguments %q passed", c.Arguments)
	}
	if c.Problem != nil && (c.Problem.Kind != tool.ValidationError || !utf8.ValidString(c.Problem.Msg)) {
		t.Fatalf("problem %v", c.Problem)
	}
}
