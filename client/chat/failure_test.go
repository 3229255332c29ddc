package chat

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// refusals are errors as each provider words them, with the key to be hidden.
var refusals = map[string]string{
	"openai": `{"error":{"message":"Incorrect API key provided: KEY.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`,

	"openai_responses": `{"error":{"message":"Incorrect API key provided: KEY.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`,

	"anthropic": `{"type":"error","error":{"type":"authentication_error","message":"Incorrect API key provided: KEY."},"request_id":"req_01"}`,
	"gemini":    `[{"error":{"code":401,"message":"Incorrect API key provided: KEY.","status":"UNAUTHENTICATED"}}]`,
}

func TestUnauthorized(t *testing.T) {
	for provider, body := range refusals {
		body = strings.ReplaceAll(body, "KEY", testKey)
		_, pieces, err := asked(t, provider, serve(t, 401, "application/json", []byte(body)))
		e := modelError(t, err)
		want := "check the key; it says: Incorrect API key provided: [key]."
		if e.Status != 401 || e.Temporary || e.RetryAfter != 0 || e.Msg != want || pieces != nil {
			t.Errorf("%s: %+v, want %s", provider, e, want)
		}
	}
}

func TestTooManyRequests(t *testing.T) {
	for provider, body := range refusals {
		url := serveWith(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(429)
			w.Write([]byte(strings.ReplaceAll(body, "Incorrect API key provided: KEY.", "Rate limit reached.")))
		})
		_, _, err := asked(t, provider, url)
		e := modelError(t, err)
		if e.Status != 429 || !e.Temporary || e.RetryAfter != 7*time.Second || e.Msg != "ask again later; it says: Rate limit reached." {
			t.Errorf("%s: %+v", provider, e)
		}
	}
}

func TestStatuses(t *testing.T) {
	for status, want := range map[int]bool{
		400: false, 402: false, 403: false, 404: false, 408: true, 409: true, 413: false, 422: false, 429: true,
		500: true, 501: false, 502: true, 503: true, 504: true, 529: true,
	} {
		_, _, err := asked(t, "anthropic", serve(t, status, "text/plain", nil))
		if e := modelError(t, err); e.Status != status || e.Temporary != want || e.Msg == "" && status != 529 {
			t.Errorf("%d: %+v, want Temporary %v", status, e, want)
		}
	}
}

// What compatible servers and proxies write is understood, or left out.
func TestWordsOfErrors(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":"model not found"}`:                        "model not found",
		`{"object":"error","message":"too long","code":400}`: "too long",
		`{"detail":"no such field"}`:                         "no such field",
		`{"detail":[{"loc":["body"]}]}`:                      "bad request",
		`{"error":{"error":{"message":"deep"}}}`:             "bad request",
		"upstream\r\nis \x1b[31mdown":                        "upstream  is  [31mdown",
		`<html>Bad</html>`:                                   "bad request",
		`{"error":{"mess`:                                    "bad request",
		``:                                                   "bad request",
		`[]`:                                                 "bad request",
	} {
		_, _, err := asked(t, "openai", serve(t, 400, "application/json", []byte(body)))
		if e := modelError(t, err); e.Msg != want {
			t.Errorf("%s is told as %q, want %q", body, e.Msg, want)
		}
	}
}

// The end of a long message is cut off, and no half of a key is left there.
func TestLongWords(t *testing.T) {
	for at := longestMessage - 60; at < longestMessage; at++ {
		body := fmt.Sprintf(`{"error":{"message":"%s%sΑΑΑΑΑΑΑΑ"}}`, strings.Repeat("x", at), testKey)
		_, _, err := asked(t, "openai", serve(t, 400, "application/json", []byte(body)))
		e := modelError(t, err)
		if len(e.Msg) > longestMessage+len("…") || strings.Contains(e.Msg, testKey[:3]) || strings.Contains(e.Msg, "\uFFFD") {
			t.Fatalf("a key at byte %d leaves %q", at, e.Msg)
		}
	}
	_, _, err := asked(t, "openai", serve(t, 400, "application/json", []byte(`{"error":"`+strings.Repeat("z", 60<<10)+`"}`)))
	contains(t, "a long error", modelError(t, err).Msg, "zzz")
	_, _, err = asked(t, "openai", serve(t, 400, "text/plain", []byte(strings.Repeat("y", 1<<20))))
	if e := modelError(t, err); len(e.Msg) > longestMessage+len("…") {
		t.Errorf("the message has %d bytes", len(e.Msg))
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "0.5": 500 * time.Millisecond, "-3": 0, "soon": 0, "NaN": 0, "1e300": 0,
		"Sun, 22 Nov 2026 10:01:30 GMT": 90 * time.Second,
		"Sun, 22 Nov 2026 09:00:00 GMT": 0,
	} {
		if got := retryAfter(text, now); got != want {
			t.Errorf("retryAfter(%q) = %v, want %v", text, got, want)
		}
	}
}

// Google's error itself contains the delay.
func TestRetryDelay(t *testing.T) {
	body := `{"error":{"code":429,"message":"Quota exceeded.","status":"RESOURCE_EXHAUSTED","details":[
		{"@type":"type.googleapis.com/google.rpc.Help","links":[]},
		{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}]}}`
	_, _, err := asked(t, "gemini", serve(t, 429, "application/json", []byte(body)))
	if e := modelError(t, err); e.RetryAfter != 34500*time.Millisecond {
		t.Errorf("%+v", e)
	}
	_, _, err = asked(t, "gemini", serve(t, 200, "text/event-stream", []byte("data: "+strings.ReplaceAll(body, "\n", "")+"\n\n")))
	if e := modelError(t, err); !e.Temporary || e.RetryAfter != 34500*time.Millisecond {
		t.Errorf("within an answer: %+v", e)
	}
}

// An error in the middle of an answer reports whether a retry may help.
func TestErrorEvents(t *testing.T) {
	for _, tt := range []struct {
		provider, file, want string
		temporary            bool
	}{
		{"openai", "error.sse", "ask again later; it says: The server had an error while processing your request. Sorry about that!", true},
		{"openai_responses", "error.sse", "ask again later; it says: Rate limit reached for gpt-5-mini", true},
		{"openai_responses", "failed.sse", "ask again later; it says: The model failed to generate a response.", true},
		{"anthropic", "error.sse", "ask again later; it says: Overloaded", true},
		{"gemini", "error.sse", "ask again later; it says: The model is overloaded. Please try again later.", true},
		{
			"gemini", "badcall.sse",
			"the model ended without an answer (MALFORMED_FUNCTION_CALL); ask again; it says: Malformed function call: print(read_file", true,
		},
		{"openai", "malformed.sse", "a piece of its answer is no JSON; check that the base URL is one of an API of this provider's kind", false},
		{
			"openai_responses", "malformed.sse",
			"a piece of its answer is no JSON; check that the base URL is one of an API of this provider's kind", false,
		},
		{
			"anthropic", "malformed.sse",
			"a piece of its answer is no JSON; check that the base URL is one of an API of this provider's kind", false,
		},
		{"gemini", "malformed.sse", "a piece of its answer is no JSON; check that the base URL is one of an API of this provider's kind", false},
	} {
		turn, pieces, err := asked(t, tt.provider, serve(t, 200, "text/event-stream", stream(t, tt.provider, tt.file)))
		e := modelError(t, err)
		if e.Msg != tt.want || e.Temporary != tt.temporary || e.Status != 0 || turn.Message != nil || strings.Join(pieces, "") != "Half" {
			t.Errorf("%s/%s: %+v after %q\nwant %s", tt.provider, tt.file, e, pieces, tt.want)
		}
	}
}

// A key that the provider repeats in a stream does not get into the error.
func TestKeyInStream(t *testing.T) {
	for _, body := range []string{
		`data: {"error":{"message":"` + testKey + `","type":"` + testKey + `"}}` + "\n\n",
		`data: {"error":{"type":"` + testKey + `"}}` + "\n\n",
		`data: {"choices":{"` + testKey + `":1}}` + "\n\n",
	} {
		_, _, err := asked(t, "openai", serve(t, 200, "text/event-stream", []byte(body)))
		if e := modelError(t, err); strings.Contains(fmt.Sprintf("%+v %v", e, e.Cause), testKey) {
			t.Errorf("%s: the error holds the key: %+v", body, e)
		}
	}
}

func TestUnreachable(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	for _, provider := range everyProvider {
		_, _, err := asked(t, provider, s.URL)
		e := modelError(t, err)
		if e.Status != 0 || !e.Temporary || e.Cause == nil {
			t.Errorf("%s: %+v", provider, e)
		}
		contains(t, provider, e.Msg, "cannot be reached", "refused", "check the network and the base URL")
	}
}

// An HTML page, and JSON of something else, point at the base URL.
func TestSomethingElse(t *testing.T) {
	for _, provider := range everyProvider {
		for kind, body := range map[string]string{
			"text/html; charset=utf-8": "<html>Welcome</html>",
			"application/json":         `"welcome"`,
		} {
			_, _, err := asked(t, provider, serve(t, 200, kind, []byte(body)))
			e := modelError(t, err)
			if e.Temporary {
				t.Errorf("%s: %+v is temporary", provider, e)
			}
			contains(t, provider, e.Msg, "base URL")
		}
		_, _, err := asked(t, provider, serve(t, 200, "application/json", []byte(refusals[provider])))
		contains(t, provider, modelError(t, err).Msg, "Incorrect API key provided")
	}
}
