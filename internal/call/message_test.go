package call

import (
	stdjson "encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

func sampleCall() *Call {
	return &Call{
		ID: "c1", ToolCallID: "toolu_1", TraceID: strings.Repeat("a", 32), Tool: "files.read", Origin: "d-1",
		User: "ann", Agent: "bot", Conversation: "k", ConfirmToken: "s3cret",
		Arguments: jsontext.Value(`{"path":"a.txt","n":1.50}`), AcceptedMS: 1_700_000_000_000,
		DeadlineMS: 1_700_000_060_000, StartByMS: 1_700_000_030_000, TimeoutMS: 500, Copy: true,
		Via: "mcp", ConsentID: "k1", Waits: true, Priority: "batch", Home: "w-1", Rehomed: true, Attempts: 2, Moves: 1,
	}
}

func TestCallRoundTrip(t *testing.T) {
	for name, e := range map[string]*Call{
		"full":         sampleCall(),
		"no arguments": {ID: "c", Origin: "o", Tool: "t", StartByMS: 1},
		"by reference": {ID: "c", Origin: "o", Tool: "t", ArgumentsRef: "acme/c"},
	} {
		data, err := e.Encode()
		if err != nil {
			t.Errorf("%s: encode: %v", name, err)
			continue
		}
		got, err := Decode(data)
		if err != nil {
			t.Errorf("%s: decode: %v", name, err)
			continue
		}
		if diff := cmp.Diff(e, got); diff != "" {
			t.Errorf("%s: changed on its way (-sent +got):\n%s", name, diff)
		}
	}
}

func TestCallKeepsTenantAndPoolOutOfTheBody(t *testing.T) {
	e := sampleCall()
	e.Tenant, e.Pool, e.Traceparent = "tenant-x", "pool-x", "traceparent-x"
	data, err := e.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"tenant-x", "pool-x", "traceparent-x"} {
		if strings.Contains(string(data), word) {
			t.Errorf("body holds %q: %s; the subject is the truth", word, data)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, data := range []string{
		"", "null", "[]", `"x"`, "{", `{"call_id":"c","origin":"o"}`, `{"call_id":"c","tool":"t"}`,
		`{"origin":"o","tool":"t"}`, `{"call_id":7,"origin":"o","tool":"t"}`, "\xff\xfe",
		`{"call_id":"c","call_id":"d","origin":"o","tool":"t"}`, `{"call_id":"c","origin":"o","tool":"t"} x`,
		"{\"call_id\":\"c\",\"origin\":\"o\",\"tool\":\"t\",\"user\":\"\xff\"}",
	} {
		if e, err := Decode([]byte(data)); err == nil {
			t.Errorf("Decode(%q) = %+v, want an error", data, e)
		}
	}
}

func TestDecodeIgnoresUnknownFields(t *testing.T) {
	e, err := Decode([]byte(`{"call_id":"c","origin":"o","tool":"t","from_the_future":{"x":[1]}}`))
	if err != nil || e.ID != "c" {
		t.Errorf("Decode = %+v, %v, want call c", e, err)
	}
}

func TestCallTimes(t *testing.T) {
	e := &Call{AcceptedMS: 1500, StartByMS: 2500}
	if got := e.Accepted(); !got.Equal(time.UnixMilli(1500)) {
		t.Errorf("Accepted() = %v, want 1.5 s after the epoch", got)
	}
	if got := e.StartBy(); !got.Equal(time.UnixMilli(2500)) {
		t.Errorf("StartBy() = %v, want 2.5 s after the epoch", got)
	}
	if got := e.Deadline(); !got.IsZero() {
		t.Errorf("Deadline() = %v, want zero: never", got)
	}
}

func TestResultRoundTrip(t *testing.T) {
	want := &protocol.Result{
		CallID: "c", Tool: "t", Status: protocol.StatusSuccess, State: protocol.StateDone, Result: stdjson.RawMessage(`[1,{"a":null}]`),
		ResultRef: &protocol.ResultRef{Object: "o", Size: 3, SHA256: "x"}, DurationMS: 1.5, Metadata: map[string]any{"k": "v"},
	}
	data, err := EncodeResult(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeResult(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("result changed (-want +got):\n%s", diff)
	}
	if _, err := DecodeResult([]byte("{")); err == nil {
		t.Error("DecodeResult({) succeeded, want an error")
	}
}

func TestResultSurvivesABrokenLetter(t *testing.T) {
	data, err := EncodeResult(&protocol.Result{CallID: "c", Message: "bad \xff letter"})
	if err != nil {
		t.Fatalf("Encode: %v, want the letter replaced", err)
	}
	got, err := DecodeResult(data)
	if err != nil || got.Message != "bad \uFFFD letter" {
		t.Errorf("message = %+v, %v, want U+FFFD in place of the letter", got, err)
	}
}

func TestFailed(t *testing.T) {
	err := tool.Fail(tool.Timeout, "too slow").Because(errors.New("secret cause"))
	want := protocol.Result{
		CallID: "c", ToolCallID: "tc", TraceID: "tr", Tool: "t",
		Status: "error", State: "done", ErrorType: tool.Timeout, Message: "too slow", Owner: &protocol.Owner{User: "ann"},
	}
	if diff := cmp.Diff(want, Failed("c", "tc", "tr", "t", &protocol.Owner{User: "ann"}, err)); diff != "" {
		t.Errorf("Failed (-want +got):\n%s", diff)
	}
}

func FuzzCall(f *testing.F) {
	full, err := sampleCall().Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(full)
	f.Add([]byte(`{"call_id":"c","origin":"o","tool":"t","arguments":null}`))
	f.Add([]byte(`{"call_id":"c","origin":"o","tool":"t","arguments": [ 1e400 , "\u0061\/" ] ,"start_by_ms":-1}`))
	f.Add([]byte("{\"call_id\":\"\xff\",\"origin\":\"o\",\"tool\":\"t\"}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		first, err := Decode(data)
		if err != nil {
			return
		}
		again, err := first.Encode()
		if err != nil {
			t.Fatalf("what decoded does not encode: %v", err)
		}
		second, err := Decode(again)
		if err != nil {
			t.Fatalf("what was encoded does not decode: %v\n%s", err, again)
		}
		// The text of arguments may change, but not their meaning.
		for _, e := range []*Call{first, second} {
			if len(e.Arguments) > 0 {
				if err := e.Arguments.Format(); err != nil {
					t.Fatalf("arguments %s: %v", e.Arguments, err)
				}
			}
		}
		if diff := cmp.Diff(first, second); diff != "" {
			t.Errorf("call changed (-first +second):\n%s", diff)
		}
	})
}
