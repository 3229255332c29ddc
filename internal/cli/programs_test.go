package cli

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// programOffice serves a program that waits and holds what must not reach a terminal.
func programOffice(t *testing.T) (url string) {
	t.Helper()
	const head = `"call_id":"p1","state":"waiting","tool":"run_program","user":"ada","agent":"clerk","trace_id":"t1",` +
		`"started_at":"2026-11-20T12:00:00Z","deadline":"2026-11-20T13:00:00Z",` +
		`"waiting_for":[{"kind":"answer","call_id":"p1~2","consent_id":"c-9"},{"kind":"sleep","until":"2026-11-20T12:30:00Z"}]`
	const steps = `"steps":[{"n":1,"call_id":"p1~1","tool":"fetch_url","line":1,"name":"read\u001b[2J","state":"done","status":"error","error_type":"timeout",` +
		`"started_at":"2026-11-20T12:00:00Z","ended_at":"2026-11-20T12:00:02.5Z"},` +
		`{"n":2,"call_id":"p1~2","tool":"ask_user","line":2,"state":"running","started_at":"2026-11-20T12:00:03Z"}]`
	var log []string
	for i := range 12 {
		log = append(log, fmt.Sprintf(`{"at":"2026-11-20T12:00:01Z","level":"info","message":"line-%d\nand \u202emore\u0007"}`, i))
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/programs", func(w http.ResponseWriter, r *http.Request) {
		if q := r.URL.Query(); q.Get("status") != "pending" || q.Get("user") != "ada" || q.Get("limit") != "1" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		io.WriteString(w, `{"programs":[{`+head+`,"steps":2}],"next":"5.p1"}`)
	})
	mux.HandleFunc("GET /v1/programs/p1", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{`+head+`,`+steps+`,"code":"await tools.fetch_url({});\nawait program.ask('\u001b]0;x\u0007?'); // \u202e\u200b","input":{"animal":"quokka"},`+
			`"log":[`+strings.Join(log, ",")+`],"log_left_out":3}`)
	})
	mux.HandleFunc("POST /v1/calls/p1/cancel", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"call_id":"p1","status":"error","error_type":"cancelled","state":"done"}`)
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv.URL
}

// TestPrograms: the commands tell the story of a program, with a mark at the line in which it
// waits, and nothing of it can drive a terminal.
func TestPrograms(t *testing.T) {
	t.Parallel()
	url := programOffice(t)
	for _, tt := range []struct {
		args       string
		want, lack []string
	}{
		{"list --status pending --user ada --limit 1", []string{"waiting", "run_program", "clerk", "answer c-9, sleep until 2026-11-20T12:30:00Z", "--cursor 5.p1"}, nil},
		{"show p1", []string{
			"state      waiting", "waits for  answer c-9", "ends by    2026-11-20T13:00:00Z", "  1 | await tools.fetch_url", "> 2 | await program.ask('<U+001B>]0;x<U+0007>?'); // <U+202E><U+200B>",
			"1  fetch_url  1     read<U+001B>[2J  timeout  2.5s", "2  ask_user   2     -                running  -", `{"animal":"quokka"}`, "line-11",
		}, []string{"line-1 ", "> 1"}},
		{"log p1", []string{"2026-11-20T12:00:01Z info line-0 and <U+202E>more<U+0007>", "line-11", "3 older lines left out"}, nil},
		{"cancel p1", []string{"p1: cancelled"}, nil},
	} {
		var out, errs bytes.Buffer
		code := Run(t.Context(), append(append([]string{"programs"}, strings.Fields(tt.args)...), "--server", url), strings.NewReader(""), &out, &errs)
		text := out.String() + errs.String()
		if code != 0 {
			t.Errorf("helve programs %s = %d %s", tt.args, code, text)
		}
		for _, want := range tt.want {
			if !strings.Contains(text, want) {
				t.Errorf("helve programs %s lacks %q:\n%s", tt.args, want, text)
			}
		}
		for _, lack := range append(tt.lack, "\x1b", "\a", "\u202e", "\u200b") {
			if strings.Contains(text, lack) {
				t.Errorf("helve programs %s has %q:\n%s", tt.args, lack, text)
			}
		}
	}
	var out, errs bytes.Buffer
	if code := Run(t.Context(), []string{"programs", "--server", url}, strings.NewReader(""), &out, &errs); code != 2 ||
		!strings.Contains(errs.String(), "list, show, log, cancel or retry") {
		t.Errorf("helve programs = %d %s", code, errs.String())
	}
}
