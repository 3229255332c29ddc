package mcp

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/identity"
)

// TestUnknownMethods: a method that is not served, or is of a capability that was not
// declared, is -32601 in every version, in the form of the protocol.
func TestUnknownMethods(t *testing.T) {
	t.Parallel()
	ask := (&stage{}).open(t, identity.Principal{})
	for _, version := range Versions() {
		for _, method := range []string{
			"tasks/list", "tools/eat", "prompts/list", "prompts/get", "completion/complete", "resources/subscribe", "logging/setLevel",
		} {
			status, text := ask(version, method, "7", `"name":"a","uri":"a:b","level":"info"`)
			want := 200
			if version == Versions()[0] {
				want = 404
			}
			if status != want || !strings.Contains(text, `"code":-32601`) || !strings.Contains(text, `"id":7`) {
				t.Errorf("%s %s: %d %s, want -32601", version, method, status, text)
			}
		}
	}
}

// TestErrorsAreMessages: a request with an id is answered by a message, whatever the SDK
// writes.
func TestErrorsAreMessages(t *testing.T) {
	t.Parallel()
	ask := (&stage{}).open(t, identity.Principal{})
	for head, status := range map[string]int{"Content-Type": 415, "Accept": 400, "Mcp-Protocol-Version": 400} {
		if got, text := ask("2025-11-25", "ping", "9007199254740993", ``, head, "text/plain"); got != status ||
			!strings.Contains(text, `"id":9007199254740993`) || !json.Valid([]byte(text)) {
			t.Errorf("another %s: %d %s", head, got, text)
		}
	}
}

// TestIDs: every id and progress token comes back as it was written, over both transports.
func TestIDs(t *testing.T) {
	t.Parallel()
	s := &stage{
		outcomes: map[string]Outcome{"t": {Status: success, Result: json.RawMessage(`"id"`)}},
		events:   []Event{{Type: "progress", CallID: "c1", Data: json.RawMessage(`{"progress":1}`)}, {Type: "done", CallID: "c1"}},
	}
	ask := s.open(t, identity.Principal{})
	ids := []string{"1", "-3", "9007199254740993", "123456789012345678901234567890", "1.5", `"a\"b"`, `"9007199254740993"`}
	for _, version := range Versions() {
		for _, id := range ids {
			for _, method := range []string{"ping", "tools/list", "tools/call", "resources/list", "tasks/get", "no/such"} {
				params, head := "", []string{"Mcp-Name", "x"}
				switch method {
				case "tools/call":
					params, head = `"name":"t"`, []string{"Mcp-Name", "t"}
				case "tasks/get":
					params = `"taskId":"x"`
				}
				if version == Versions()[0] && method == "ping" {
					continue // it is no longer in the protocol
				}
				if status, text := ask(version, method, id, params, head...); !strings.Contains(text, `"id":`+id+`,`) &&
					!strings.HasSuffix(strings.TrimSpace(text), `"id":`+id+"}") {
					t.Errorf("%s %s: the id %s was answered %d %s", version, method, id, status, text)
				}
			}
			if id == "1.5" || version == Versions()[0] {
				continue
			}
			if _, text := ask(version, "tools/call", "5",
				`"name":"t","_meta":{"progressToken":`+id+`}`); !strings.Contains(text, `"progressToken":`+id) || strings.Contains(text, `"message"`) {
				t.Errorf("%s: the token %s is in %s", version, id, text)
			}
		}
	}
	in := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"t","version":"1"},"capabilities":{}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	for _, id := range ids {
		in += `{"jsonrpc":"2.0","id": ` + id + ` ,"method":"ping"}` + "\n"
	}
	var out strings.Builder
	err := New(s, Options{}).Stream(t.Context(), Caller{}, io.NopCloser(strings.NewReader(in)), unclosed{&out})
	for _, id := range ids {
		if !strings.Contains(out.String(), `"id":`+id+`,`) {
			t.Errorf("over a stream the id %s was not answered (%v): %s", id, err, out.String())
		}
	}
}

type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// TestTaskHeader: a request about a task names it in the header, too.
func TestTaskHeader(t *testing.T) {
	t.Parallel()
	ask := (&stage{}).open(t, identity.Principal{})
	for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
		if status, text := ask("2026-07-28", method, "1", `"taskId":"x"`, "Mcp-Name", "y"); status != 400 || !strings.Contains(text, "-32020") {
			t.Errorf("%s of another task: %d %s", method, status, text)
		}
		if status, text := ask("2026-07-28", method, "1", `"taskId":"x"`, "Mcp-Name", "x"); status != 200 || strings.Contains(text, `"error"`) {
			t.Errorf("%s: %d %s", method, status, text)
		}
	}
}
