package upstream

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/tool"
)

// plainServer is a server over HTTP that answers tools/call of its tool act by answer.
type plainServer struct {
	answer   func(rw http.ResponseWriter, id json.RawMessage)
	session  atomic.Int64 // the number of the session that it knows
	acts     atomic.Int64
	sessions bool
}

func (s *plainServer) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Name string `json:"name"`
		} `json:"params"`
	}
	body, err := io.ReadAll(r.Body)
	if err != nil || json.Unmarshal(body, &m) != nil || r.Method != http.MethodPost {
		http.Error(rw, "no", http.StatusMethodNotAllowed)
		return
	}
	result := func(text string) {
		rw.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(rw, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, text)
	}
	switch {
	case m.Method == "initialize":
		if s.sessions {
			rw.Header().Set("Mcp-Session-Id", strconv.FormatInt(s.session.Load(), 10))
		}
		result(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"plain","version":"1"}}`)
	case m.ID == nil:
		http.Error(rw, "<html>no notifications", http.StatusBadRequest)
	case m.Method == "tools/list":
		result(`{"tools":[{"name":"act","inputSchema":{}},{"name":"read","inputSchema":{}},{"name":"fine","inputSchema":{}}]}`)
	case m.Method == "tools/call" && m.Params.Name != "fine":
		s.acts.Add(1)
		if s.sessions && r.Header.Get("Mcp-Session-Id") == strconv.FormatInt(s.session.Load(), 10) {
			result(fineResult)
			return
		}
		s.answer(rw, m.ID)
	case m.Method == "tools/call":
		result(fineResult)
	default:
		http.Error(rw, "no", http.StatusNotFound)
	}
}

const fineResult = `{"content":[{"type":"text","text":"fine"}]}`

func status(code int) func(http.ResponseWriter, json.RawMessage) {
	return func(rw http.ResponseWriter, _ json.RawMessage) {
		rw.Header().Set("Retry-After", "7")
		rw.Header().Set("Location", "/elsewhere")
		http.Error(rw, "<html>"+http.StatusText(code), code)
	}
}

func written(kind, format string) func(http.ResponseWriter, json.RawMessage) {
	return func(rw http.ResponseWriter, id json.RawMessage) {
		rw.Header()["Content-Type"] = []string{kind}
		if kind == "" {
			rw.Header()["Content-Type"] = nil
		}
		fmt.Fprint(rw, strings.ReplaceAll(format, "ID", string(id)))
	}
}

// rows are the answers that the table of the page names by words.
var rows = map[string]func(http.ResponseWriter, json.RawMessage){
	"3xx":                                status(http.StatusNotModified),
	"404 to a session":                   status(http.StatusNotFound),
	"400 about its session":              written400,
	"200 with a page of HTML":            written("text/html", "<html>Sign in"),
	"200 that is no message":             written("application/json", `{"id": ID, "oops"`),
	"200 that is no result":              written("application/json", `{"jsonrpc":"2.0","id":ID,"result":{"content":"x"}}`),
	"202 without an answer":              func(rw http.ResponseWriter, _ json.RawMessage) { rw.WriteHeader(http.StatusAccepted) },
	"200 whose events end early":         written("text/event-stream", ": nothing\n\n"),
	"200 with an error of the protocol":  written("application/json", `{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"wrong"}}`),
	"200 without a type":                 written("", `{"jsonrpc":"2.0","id":ID,"result":`+fineResult+`}`),
	"nothing, and breaks the connection": func(http.ResponseWriter, json.RawMessage) { panic(http.ErrAbortHandler) },
	"200 that is cut off": func(rw http.ResponseWriter, _ json.RawMessage) {
		rw.Header().Set("Content-Type", "application/json")
		fmt.Fprint(rw, `{"jsonrpc":"2.0",`)
		_ = http.NewResponseController(rw).Flush()
		panic(http.ErrAbortHandler)
	},
}

func written400(rw http.ResponseWriter, _ json.RawMessage) {
	rw.WriteHeader(http.StatusBadRequest)
	fmt.Fprint(rw, `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}`)
}

// TestStatuses reads each row of the table in docs/mcp-upstream.md, has a server answer so, and
// wants the outcome of the row: its kind, the status in the message, and the connection.
func TestStatuses(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/mcp-upstream.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(page), "| what the server answers | changes nothing |")
	table, _, _ = strings.Cut(table, "\n\n")
	cells := regexp.MustCompile("(?m)^\\| (.+) \\| `?([a-z_ ]+)`? \\| `?([a-z_ ]+)`? \\| (.+) \\|$").FindAllStringSubmatch(table, -1)
	if !found || len(cells) < 19 {
		t.Fatalf("the table has %d rows", len(cells))
	}
	tested := map[string]bool{}
	bucket := newBucket(t)
	for _, row := range cells {
		name, reads, changes, connection := row[1], row[2], row[3], row[4]
		answers := map[string]func(http.ResponseWriter, json.RawMessage){}
		if rows[name] != nil {
			tested[name] = true
			answers[name] = rows[name]
		} else {
			for code := range strings.SplitSeq(name, ", ") {
				if n, err := strconv.Atoi(code); err == nil {
					answers[code] = status(n)
				}
			}
		}
		if len(answers) == 0 && name != "not reached, so nothing was sent" && name != "no answer in time" {
			t.Errorf("no server answers %q", name)
		}
		for answer, by := range answers {
			t.Run(answer, func(t *testing.T) {
				t.Parallel()
				checkRow(t, bucket, answer, by, map[string]string{"read": reads, "act": changes}, connection)
			})
		}
	}
	for name := range rows {
		if !tested[name] {
			t.Errorf("the table has no row %q", name)
		}
	}
}

func checkRow(
	t *testing.T, bucket *natsio.Bucket, answer string, by func(http.ResponseWriter, json.RawMessage), want map[string]string,
	connection string,
) {
	t.Helper()
	s := &plainServer{answer: by, sessions: connection == "a new session"}
	w := openPlain(t, bucket, s)
	for name, kind := range want {
		s.session.Add(1) // what it began with is forgotten
		before := s.acts.Load()
		res, err := w.call("h_"+name, `{}`)
		switch kind {
		case "success":
			if err != nil || res.Text != "fine" {
				t.Errorf("%s ended with %q, %v", name, res.Text, err)
			}
		case "called once more":
			if err != nil || res.Text != "fine" || s.acts.Load() != before+2 {
				t.Errorf("%s ended with %q, %v, called %d times", name, res.Text, err, s.acts.Load()-before)
			}
		default:
			said := ""
			if _, number := strconv.Atoi(answer); number == nil {
				said = "status " + answer + ", try again in 7 seconds"
			}
			fails(t, err, tool.Kind(kind), said)
			if s.acts.Load() != before+1 {
				t.Errorf("%s was called %d times", name, s.acts.Load()-before)
			}
		}
		w.says("h_fine", `{}`, "fine")
	}
	restarts := 0
	if connection == "a new session" {
		restarts = len(want)
	}
	if line := fmt.Sprintf(`helve_upstream_restarts_total{server="h"} %d`, restarts); restarts > 0 && !w.counts(line) ||
		restarts == 0 && w.counts(`helve_upstream_restarts_total{server="h"} 1`) {
		t.Errorf("the connection was not %s: there is no %s", connection, line)
	}
}

// openPlain connects to a server whose tool read changes nothing.
func openPlain(t *testing.T, bucket *natsio.Bucket, s *plainServer) *world {
	t.Helper()
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	no := false
	return openOn(t, bucket, "w-1", Server{Name: "h", URL: srv.URL, Private: true, Tools: map[string]Settings{"read": {Mutates: &no}}})
}

// TestNotReached: a server to which nothing could be sent did nothing, and a server that does not
// answer may have.
func TestNotReached(t *testing.T) {
	t.Parallel()
	stop := make(chan struct{})
	s := &plainServer{answer: func(http.ResponseWriter, json.RawMessage) { <-stop }}
	srv := httptest.NewServer(s)
	no := false
	w := open(t, Server{Name: "h", URL: srv.URL, Private: true, Tools: map[string]Settings{"read": {Mutates: &no}}})
	for name, kind := range map[string]tool.Kind{"h_read": tool.Timeout, "h_act": tool.OutcomeUnknown} {
		ctx, cancel := context.WithTimeout(queuetest.Context(t), 50*time.Millisecond)
		_, err := w.begin(name, `{}`)(ctx)
		fails(t, err, kind, "")
		cancel()
	}
	run := map[string]func(context.Context) (tool.Result, error){"h_read": w.begin("h_read", `{}`), "h_act": w.begin("h_act", `{}`)}
	close(stop)
	srv.Close()
	for _, call := range run {
		_, err := call(queuetest.Context(t))
		fails(t, err, tool.ToolNotAvailable, "nothing was done")
	}
	queuetest.Until(t, "it is noticed", func() bool { return w.pool.Refuses("h_act") != nil })
}

// TestRenewedForAll: when a server forgets a session, the calls that it refused are made once
// more, and those that it still answers are answered.
func TestRenewedForAll(t *testing.T) {
	t.Parallel()
	s := &plainServer{answer: status(http.StatusNotFound), sessions: true}
	w := openPlain(t, newBucket(t), s)
	w.says("h_act", `{}`, "fine")
	s.session.Add(1)
	done := make(chan error, 8)
	run := w.begin("h_act", `{}`)
	for range cap(done) {
		go func() {
			res, err := run(queuetest.Context(t))
			if err == nil && !bytes.Contains(res.Value, []byte("fine")) {
				err = fmt.Errorf("it answered %s", res.Value)
			}
			done <- err
		}()
	}
	for range cap(done) {
		if err := queuetest.Receive(t, done, "end of a call"); err != nil {
			t.Error(err)
		}
	}
}
