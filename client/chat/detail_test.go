package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestEvents(t *testing.T) {
	in := newEvents(strings.NewReader(": hi\n\ndata: a\ndata:b\r\n\r\nevent: x\ndata:  c\ndatum: d\n\ndata\n\ndata: cut off\n"))
	for _, want := range []string{"a\nb", " c"} {
		if got, err := in.next(); err != nil || string(got) != want {
			t.Errorf("next = %q, %v, want %q", got, err, want)
		}
	}
	if got, err := in.next(); err != io.EOF {
		t.Errorf("next at the end = %q, %v", got, err)
	}
}

// TestStreamsWithoutType: a 200 without a type is judged by its beginning, and events may end
// in CR and begin with a byte order mark.
func TestStreamsWithoutType(t *testing.T) {
	const chunk = `{"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}]}`
	for body, want := range map[string]string{
		"\ufeffdata: " + chunk + "\r\rdata: [DONE]\r\r":                                        "hi",
		"data: " + strings.Replace(chunk, ",", ",\ndata: ", 1) + "\n\ndata: [DONE]\n\n":        "hi",
		`{"choices":[{"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}`: "hi",
		"<html>": "a page for people",
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil
			_, _ = io.WriteString(w, body)
		}))
		m, err := New(Options{Provider: "openai", BaseURL: srv.URL, Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		turn, err := m.Ask(t.Context(), []json.RawMessage{json.RawMessage(`{"role":"user","content":"x"}`)}, nil,
			func(piece string) { said += piece })
		if got := turn.Text; err != nil {
			said = err.Error()
		} else if got != "" {
			said = got
		}
		if !strings.Contains(said, want) {
			t.Errorf("%q is read as %q, %v, want %q", body, said, err, want)
		}
		srv.Close()
	}
}

// says reads one event as the only one of an answer.
func says(t *testing.T, provider, data string) string {
	t.Helper()
	turn, _, err := read(provider, strings.NewReader("data: "+data+"\n\n"))
	if err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	if !utf8.Valid(turn.Message) {
		t.Errorf("%q is no UTF-8", turn.Message)
	}
	return string(turn.Message)
}

// What is kept as it came is made UTF-8 all the same.
func TestKeptText(t *testing.T) {
	got := says(t, "gemini", `{"candidates":[{"finishReason":"STOP","content":{"parts":[{"text":"`+"\xff"+`","thought":true}]}}]}`)
	sameJSON(t, "Message", []byte(got), `{"role":"model","parts":[{"text":"\ufffd","thought":true}]}`)
}

// Gemini ends with a text that is empty, which it would not take back.
func TestEmptyPart(t *testing.T) {
	got := says(t, "gemini", `{"candidates":[{"finishReason":"STOP","content":{"parts":[{"functionCall":{"name":"f"}},{"text":""}]}}]}`)
	sameJSON(t, "Message", []byte(got), `{"role":"model","parts":[{"functionCall":{"name":"f"}}]}`)
}

// A call of which only the name came has an object for its input.
func TestNoInput(t *testing.T) {
	for _, input := range []string{``, `,"input":null`} {
		stream := `data: {"type":"message_start","message":{"content":[{"type":"tool_use","id":"a","name":"f"` + input + `}]}}` +
			"\n\ndata: {\"type\":\"message_stop\"}\n\n"
		turn, _, err := read("anthropic", strings.NewReader(stream))
		if err != nil {
			t.Fatal(err)
		}
		sameJSON(t, "Append", joined(turn.Append), `[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]}]`)
		sameJSON(t, "Message", turn.Message, `{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]}`)
	}
}

// A count that no turn has is not believed, and breaks no answer.
func TestOddCounts(t *testing.T) {
	for text, want := range map[string]int{"12": 12, "-5": 0, "1e3": 0, "9223372036854775807": 0, `"many"`: 0, "null": 0, "{}": 0} {
		turn, _, err := read("gemini",
			strings.NewReader(`data: {"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"totalTokenCount":`+text+"}}\n\n"))
		if err != nil || turn.Tokens != want {
			t.Errorf("%s tokens are %d, %v, want %d", text, turn.Tokens, err, want)
		}
	}
}

// Nor does it make up for another.
func TestNegativeCount(t *testing.T) {
	stream := `data: {"type":"message_start","message":{"content":[],"usage":{"input_tokens":10,"output_tokens":-5}}}` +
		"\n\ndata: {\"type\":\"message_stop\"}\n\n"
	if turn, _, err := read("anthropic", strings.NewReader(stream)); err != nil || turn.Tokens != 10 {
		t.Errorf("the turn has %d tokens, %v, want 10", turn.Tokens, err)
	}
}

// A status in the middle of an answer is a number to some servers.
func TestCodeInStream(t *testing.T) {
	for code, want := range map[string]bool{"502": true, "400": false, `"429"`: true, `"invalid_prompt"`: false} {
		_, _, err := read("openai", strings.NewReader(`data: {"error":{"message":"a","code":`+code+"}}\n\n"))
		if e := modelError(t, err); e.Temporary != want {
			t.Errorf("code %s: %+v, want Temporary %v", code, e, want)
		}
	}
}

// An error may have no message.
func TestWordlessErrors(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":{}}`:                        "an error without a message",
		`{"error":{"code":502,"type":"bad"}}`: "ask again later; it says: an error without a message, bad, 502",
	} {
		_, _, err := read("gemini", strings.NewReader("data: "+body+"\n\n"))
		if e := modelError(t, err); e.Msg != want {
			t.Errorf("%s is told as %q, want %q", body, e.Msg, want)
		}
	}
}

// roundTrip answers in place of a network.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// An error of the network is told without the URL, and without the key if it holds it.
func TestErrorsOfTheNetwork(t *testing.T) {
	for _, why := range []string{"no route", "no route for " + testKey} {
		hc := &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) { return nil, errors.New(why) })}
		m := newModel(t, Options{Provider: "openai", BaseURL: "http://host", HTTP: hc})
		_, err := m.Ask(t.Context(), []json.RawMessage{m.User("a")}, nil, nil)
		e := modelError(t, err)
		if want := "it cannot be reached (" + strings.ReplaceAll(why, testKey, "[key]") +
			"); check the network and the base URL, or ask again later"; e.Msg != want {
			t.Errorf("%+v, want %s", e, want)
		}
		if hides := e.Cause == nil; hides != strings.Contains(why, testKey) {
			t.Errorf("the cause of %s is %v", why, e.Cause)
		}
	}
}

// Text of the conversation is sent in the very spelling it has.
func TestSpellingOfRequests(t *testing.T) {
	url, got := record(t, "openai")
	m := newModel(t, Options{Provider: "openai", BaseURL: url})
	item := `{"role":"user","content":"\u00e9 \/ \ud83d"}`
	if _, err := m.Ask(t.Context(), []json.RawMessage{json.RawMessage(item)}, nil, nil); err != nil ||
		!bytes.Contains(got.body, []byte(item)) {
		t.Errorf("%s is sent as %s, %v", item, got.body, err)
	}
}
