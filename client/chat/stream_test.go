package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/client"
)

// read assembles the answer in r, and also returns the pieces.
func read(provider string, r io.Reader) (client.Turn, []string, error) {
	var pieces []string
	s := &speech{give: func(p string) { pieces = append(pieces, p) }}
	turn, err := readStream(r, dialects[provider].assemble(s, 1))
	return turn, pieces, err
}

// A stream says the same however it is spelled, and wherever it is cut into packets.
func TestSpellings(t *testing.T) {
	replace := func(old, now string) func([]byte) io.Reader {
		return func(text []byte) io.Reader {
			return bytes.NewReader(bytes.ReplaceAll(text, []byte(old), []byte(now)))
		}
	}
	for name, spell := range map[string]func([]byte) io.Reader{
		"CRLF":             replace("\n", "\r\n"),
		"comments":         replace("data:", ": keep-alive\n:\ndata:"),
		"data in lines":    replace("data: {", "data: {\ndata:\ndata: "),
		"other fields":     replace("data:", "id: 1\nretry: 5\nodd\ndata:"),
		"no space":         replace("data: ", "data:"),
		"blank lines":      replace("\n\n", "\n\n\n\ndata:\n\n"),
		"byte by byte":     func(text []byte) io.Reader { return iotest.OneByteReader(bytes.NewReader(text)) },
		"half by half":     func(text []byte) io.Reader { return iotest.HalfReader(bytes.NewReader(text)) },
		"the end with EOF": func(text []byte) io.Reader { return iotest.DataErrReader(bytes.NewReader(text)) },
	} {
		for _, provider := range everyProvider {
			for _, file := range []string{"text.sse", "calls.sse"} {
				text := stream(t, provider, file)
				want, wantPieces, err := read(provider, bytes.NewReader(text))
				if err != nil {
					t.Fatal(err)
				}
				got, pieces, err := read(provider, spell(text))
				if diff := cmp.Diff(want, got); err != nil || diff != "" {
					t.Errorf("%s of %s/%s: error %v (-want +got):\n%s", name, provider, file, err, diff)
				}
				if diff := cmp.Diff(wantPieces, pieces); diff != "" {
					t.Errorf("%s of %s/%s: pieces (-want +got):\n%s", name, provider, file, diff)
				}
			}
		}
	}
}

// A character may arrive in two packets of the network.
func TestSplitCharacter(t *testing.T) {
	for _, provider := range everyProvider {
		text := stream(t, provider, "text.sse")
		at := bytes.Index(text, []byte("Α")) + 1
		url := serveWith(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.Write(text[:at])
			http.NewResponseController(w).Flush()
			w.Write(text[at:])
		})
		turn, pieces, err := asked(t, provider, url)
		if diff := cmp.Diff(greeting, pieces); err != nil || diff != "" || turn.Text != strings.Join(greeting, "") {
			t.Errorf("%s: error %v, Text %q, pieces (-want +got):\n%s", provider, err, turn.Text, diff)
		}
	}
}

// Wherever a stream ends, there is the whole answer or an error, never a part.
func TestCutAnywhere(t *testing.T) {
	for _, provider := range everyProvider {
		for _, file := range []string{"text.sse", "calls.sse", "refusal.sse", "length.sse"} {
			text := stream(t, provider, file)
			whole, _, err := read(provider, bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			failed := 0
			for n := range text {
				turn, _, err := read(provider, bytes.NewReader(text[:n]))
				if err != nil {
					failed++
					if e := modelError(t, err); !e.Temporary || e.Status != 0 || !strings.Contains(e.Msg, "broke off before its end; ask again") {
						t.Fatalf("%s/%s cut at %d: %+v", provider, file, n, e)
					}
					continue
				}
				turn.Tokens = whole.Tokens // OpenAI's come behind the end of the answer
				if diff := cmp.Diff(whole, turn); diff != "" {
					t.Fatalf("%s/%s cut at %d is taken for an answer (-want +got):\n%s", provider, file, n, diff)
				}
			}
			if failed < len(text)/3 {
				t.Errorf("%s/%s: only %d of %d cuts are errors", provider, file, failed, len(text))
			}
		}
	}
}

// A connection that breaks is noticed even where a stream has no mark at its end.
func TestConnectionLost(t *testing.T) {
	for _, provider := range everyProvider {
		text := stream(t, provider, "text.sse")
		url := serveWith(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.Write(text[:bytes.Index(text, []byte("Α"))+1])
			http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		})
		turn, pieces, err := asked(t, provider, url)
		e := modelError(t, err)
		if !e.Temporary || e.Status != 0 || turn.Message != nil || !errors.Is(err, io.ErrUnexpectedEOF) || !cmp.Equal(pieces, greeting[:1]) {
			t.Errorf("%s: %+v after %q", provider, e, pieces)
		}
		contains(t, provider, e.Msg, "broke off", "ask again")
	}
}

// Ask ends with its context while the provider is still speaking, with the cause.
func TestCancel(t *testing.T) {
	for _, provider := range everyProvider {
		text := stream(t, provider, "text.sse")
		gone := make(chan struct{})
		url := serveWith(t, func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "text/event-stream")
			w.Write(text[:bytes.Index(text, []byte("Α"))])
			http.NewResponseController(w).Flush()
			<-r.Context().Done()
			close(gone)
		})
		ctx, cancel := context.WithCancelCause(t.Context())
		enough := errors.New("the person has heard enough")
		m := newModel(t, Options{Provider: provider, BaseURL: url})
		turn, err := m.Ask(ctx, []json.RawMessage{m.User("Hello")}, nil, func(string) { cancel(enough) })
		if err != enough || turn.Message != nil {
			t.Errorf("%s: Ask = %+v, %v", provider, turn, err)
		}
		<-gone // the provider is told
	}
}

func TestCanceledBefore(t *testing.T) {
	url := serveWith(t, func(http.ResponseWriter, *http.Request) { t.Error("it was sent") })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := newModel(t, Options{Provider: "gemini", BaseURL: url})
	if _, err := m.Ask(ctx, []json.RawMessage{m.User("Hello")}, nil, nil); err != context.Canceled {
		t.Errorf("Ask with a context that ended = %v", err)
	}
}

// Bytes that are no UTF-8 become U+FFFD, and half a character in a text too.
func TestBadText(t *testing.T) {
	for text, want := range map[string]string{"a\xffb": "a\uFFFDb", `a\ud83db`: "a\uFFFDb"} {
		body := `data: {"choices":[{"index":0,"delta":{"content":"` + text + `"},"finish_reason":"stop"}]}` + "\n\n"
		turn, _, err := read("openai", strings.NewReader(body))
		if err != nil || turn.Text != want {
			t.Errorf("%q is %q, %v, want %q", text, turn.Text, err, want)
		}
		sameJSON(t, "Message", turn.Message, `{"role":"assistant","content":"a\ufffdb"}`)
	}
}

// The events are in an order, and say what kind they are.
func TestWrongEvents(t *testing.T) {
	for _, tt := range []struct{ provider, data, want string }{
		{"openai", `[]`, "no chunk of a chat completion"},
		{"openai", `{"choices":[{"delta":{"content":"a","tool_calls":{}}}]}`, "no chunk of a chat completion"},
		{"openai_responses", `{"type":"response.completed"}`, "no Response"},
		{"openai_responses", `{"type":"response.completed","response":{"status":"completed"}}`, "no output"},
		{"openai_responses", `{"type":"response.completed","response":{"output":["a"]}}`, "an item of its output"},
		{"openai_responses", `{"type":"response.failed","response":{"status":"failed"}}`, "gave up without saying why"},
		{"anthropic", `{"type":"message_start"}`, "no Message"},
		{"anthropic", `{"type":"content_block_start","index":1,"content_block":{"type":"text"}}`, "out of order"},
		{"anthropic", `{"type":"content_block_start","index":0,"content_block":"text"}`, "a block of its answer"},
		{"anthropic", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}`, "never began"},
		{"anthropic", `{"type":"content_block_delta","index":-1,"delta":{}}`, "never began"},
		{"anthropic", `{"type":"message_stop"}`, "broke off before its end"},
		{"gemini", `{"candidates":[{"content":{"parts":["a"]}}]}`, "a part of its answer"},
		{"gemini", `{"candidates":[{"content":{"parts":[]},"finishReason":"OTHER"}]}`, "without an answer (OTHER)"},
	} {
		_, _, err := read(tt.provider, strings.NewReader("data: "+tt.data+"\n\n"))
		contains(t, tt.provider+" "+tt.data, modelError(t, err).Msg, tt.want)
	}
}
