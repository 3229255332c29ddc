package mcp

import (
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/identity"
)

// FuzzGlance: whatever the input, the SDK would read a plain request the same
// way, and its id goes back as it came.
func FuzzGlance(f *testing.F) {
	const head = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`
	for _, body := range []string{
		head + `{"name":"a","arguments":{"x":1}}}`, head + `{"name":"a"}}x`, head + `{"name":"a","_meta":{"progressToken":1}}}`,
		`[` + head + `{}}]`, `{"id":{}}`, `null`, "", "\xff",
		`{"jsonrpc":"2.0","id":"` + "\xff" + `","method":"tools/call","params":{"name":"a"}}`,
	} {
		f.Add([]byte(body))
	}
	header := http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {"2025-11-25"},
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		m, problem := glance(body)
		isJSON := problem == ""
		if !isJSON && m.Method != "" {
			t.Errorf("of what is not JSON the method %q is known", m.Method)
		}
		if !m.plain(header) {
			return
		}
		if !isJSON || !jsontext.Value(body).IsValid(lenient) || !m.ID.IsValid() || m.Params.Name == "" || m.Method != "tools/call" {
			t.Errorf("%q is taken for plain", body)
		}
	})
}

// TestGlance: /mcp refuses what execute refuses, and leaves to the call what is the
// call's own fault.
func TestGlance(t *testing.T) {
	const twice, utf8, value = "a key twice", "must be UTF-8", "one JSON value"
	for body, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`:                                               "",
		`{"method":"a","method":"b"}`:                                                            twice,
		`{"method":"a","\u006dethod":"b"}`:                                                       twice,
		`{"method":"tools/call","params":{"name":"a","name":"b"}}`:                               twice,
		`{"method":"tools/call","params":{"name":"a"},"params":{"name":"b"}}`:                    twice,
		`{"method":"tools/call","params":{"name":"a","_meta":{"x":1,"x":2}}}`:                    twice,
		`{"method":"tools/call","params":{"arguments":{},"arguments":{"a":1}}}`:                  twice,
		`{"method":"tools/call","params":{"name":"a","arguments":{"x":1,"x":2}}}`:                "",
		`{"method":"tools/call","params":{"name":"a","arguments":{"x":{"y":1,"y":2}}}}`:          "",
		`{"method":"a","arguments":{"x":1,"x":2}}`:                                               twice,
		`[{"method":"a","method":"b"}]`:                                                          twice,
		"{\"method\":\"a\xff\"}":                                                                 utf8,
		"{\"method\":\"tools/call\",\"params\":{\"name\":\"a\",\"arguments\":{\"x\":\"\xff\"}}}": utf8,
		`{"method":"a"} {}`: value,
		`{"method":`:        value,
		``:                  "",
	} {
		if _, got := glance([]byte(body)); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", body, got, want)
		}
	}
}

// The ids of a session's requests are those of no other session, caller or request.
func TestIDOf(t *testing.T) {
	by := Caller{By: identity.Principal{Tenant: "t"}, User: "u"}
	seen := map[string]string{}
	for name, id := range map[string]string{
		"one":            idOf(by, "s1", []byte("1")),
		"another id":     idOf(by, "s1", []byte("2")),
		"a text":         idOf(by, "s1", []byte(`"1"`)),
		"a session":      idOf(by, "s2", []byte("1")),
		"a user":         idOf(Caller{By: by.By, User: "v"}, "s1", []byte("1")),
		"an agent":       idOf(Caller{By: by.By, User: "u", Agent: "a"}, "s1", []byte("1")),
		"a tenant":       idOf(Caller{By: identity.Principal{Tenant: "u"}, User: "u"}, "s1", []byte("1")),
		"parts that run": idOf(Caller{By: by.By, User: "us"}, "1", []byte("1")),
	} {
		if other, taken := seen[id]; taken {
			t.Errorf("%s has the id of %s", name, other)
		}
		seen[id] = name
	}
	if idOf(by, "s1", []byte("1")) != idOf(by, "s1", []byte(" 1 ")) {
		t.Error("the same request has two ids")
	}
}

func TestTraceOf(t *testing.T) {
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	for text, want := range map[string]string{
		"00-" + trace + "-00f067aa0ba902b7-01":                    trace,
		"00-00000000000000000000000000000000-00f067aa0ba902b7-01": "",
		"00-" + trace + "-00f067aa0ba902b7-01x":                   "",
		trace:                                                     "", "": "", "00-" + trace: "",
	} {
		if got, parent := traceOf(text); got != want || (want != "") != (parent == text && text != "") {
			t.Errorf("traceOf(%q) = %q, %q, want %q", text, got, parent, want)
		}
	}
}

// Progress grows with each report, whatever a tool says.
func TestProgressOf(t *testing.T) {
	for data, want := range map[string]struct {
		progress, total float64
		message         string
	}{
		`{"done":7,"total":9}`:                 {7, 9, ""},
		`{"progress":6,"message":"reading"}`:   {6, 0, "reading"},
		`{"progress":2}`:                       {6, 0, ""},
		`"half of it"`:                         {6, 0, "half of it"},
		`[1,2]`:                                {6, 0, ""},
		`{"progress":"much","message":"more"}`: {6, 0, ""},
		`null`:                                 {6, 0, ""},
	} {
		if got := progressOf([]byte(data), 5); got.Progress != want.progress || got.Total != want.total || got.Message != want.message {
			t.Errorf("progressOf(%s) = %+v, want %+v", data, got, want)
		}
	}
}
