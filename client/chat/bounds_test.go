package chat

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// endless writes line repeatedly until the other side closes.
func endless(line string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for {
			if _, err := io.WriteString(w, line); err != nil {
				return
			}
		}
	}
}

func TestBounds(t *testing.T) {
	for _, tt := range []struct{ name, line, want string }{
		{"a line without end", strings.Repeat("x", 1<<20), "a line of its answer is longer than 16 MiB; ask for less"},
		{"an event without end", "data: " + strings.Repeat("x", 1<<20) + "\n", "a line of its answer is longer than 16 MiB; ask for less"},
		{"an answer without end", ": " + strings.Repeat("x", 1<<20) + "\n", "its answer is longer than 64 MiB; ask for less"},
	} {
		_, _, err := asked(t, "anthropic", serveWith(t, endless(tt.line)))
		if e := modelError(t, err); e.Msg != tt.want || e.Temporary {
			t.Errorf("%s: %+v, want %s", tt.name, e, tt.want)
		}
	}
	url := serveWith(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for range 65 {
			io.WriteString(w, strings.Repeat(" ", 1<<20))
		}
	})
	_, _, err := asked(t, "openai", url)
	contains(t, "a body without end", modelError(t, err).Msg, "longer than 64 MiB")
}

// piped connects an HTTP client to serve over memory, for a bubble.
func piped(serve func(conn net.Conn)) *http.Client {
	return &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			ours, theirs := net.Pipe()
			go serve(theirs)
			return ours, nil
		},
	}}
}

const streamHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"

// A provider that falls silent is given up, before its answer as in the middle of it.
func TestSilence(t *testing.T) {
	for name, head := range map[string]string{"before": "", "within": streamHead + "data: {}\n\n"} {
		synctest.Test(t, func(t *testing.T) {
			hc := piped(func(conn net.Conn) {
				defer conn.Close()
				in := bufio.NewReader(conn)
				http.ReadRequest(in)
				io.WriteString(conn, head)
				io.Copy(io.Discard, in) // until the client leaves
			})
			m := newModel(t, Options{Provider: "gemini", BaseURL: "http://provider", HTTP: hc})
			began := time.Now()
			_, err := m.Ask(t.Context(), []json.RawMessage{m.User("Hello")}, nil, nil)
			e := modelError(t, err)
			if e.Msg != "it sent nothing for 5m0s; ask again" || !e.Temporary || !errors.Is(err, errSilent) || time.Since(began) != 5*time.Minute {
				t.Errorf("%s its answer: %+v after %v", name, e, time.Since(began))
			}
		})
	}
}

// A provider that sends keep-alives may take any time, and so may the person.
func TestSlowness(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hc := piped(func(conn net.Conn) {
			defer conn.Close()
			http.ReadRequest(bufio.NewReader(conn))
			io.WriteString(conn, streamHead)
			for range 10 {
				time.Sleep(4 * time.Minute)
				io.WriteString(conn, ": still here\n\n")
			}
			io.WriteString(conn, `data: {"candidates":[{"content":{"parts":[{"text":"Hi"}]}}]}`+"\n\n")
			io.WriteString(conn, `data: {"candidates":[{"finishReason":"STOP"}]}`+"\n\n")
		})
		m := newModel(t, Options{Provider: "gemini", BaseURL: "http://provider", HTTP: hc})
		turn, err := m.Ask(t.Context(), []json.RawMessage{m.User("Hello")}, nil, func(string) { time.Sleep(time.Hour) })
		if err != nil || turn.Text != "Hi" {
			t.Errorf("Ask = %+v, %v", turn, err)
		}
	})
}
