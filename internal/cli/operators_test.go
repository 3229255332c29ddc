package cli

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// officeOperators adds the operations for operators to a server of tests.
func officeOperators(mux *http.ServeMux) {
	const letter = `{"seq":7,"at":"2026-11-20T12:00:00Z","pool":"default","reason":"not a call","bytes":9,"call_id":"c-7","tool":"send_email","user":"ada","risk":"its effect may happen a second time"}`
	mux.HandleFunc("GET /v1/dead", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"dead":[`+letter+`]}`) })
	mux.HandleFunc("GET /v1/dead/7", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, letter) })
	mux.HandleFunc("DELETE /v1/dead/7", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{}`) })
	mux.HandleFunc("POST /v1/dead/7/requeue", func(w http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); !strings.Contains(string(body), `"force":true`) {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusConflict)
			io.WriteString(w, `{"status":409,"error_type":"conflict","detail":"its effect may happen a second time"}`)
			return
		}
		io.WriteString(w, letter)
	})
	mux.HandleFunc("POST /v1/dead/8/requeue", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, strings.Replace(letter, `"seq":7`, `"seq":8`, 1))
	})
	mux.HandleFunc("GET /v1/calls", func(w http.ResponseWriter, r *http.Request) {
		if q := r.URL.Query(); q.Get("tool") != "send_email" || q.Get("user") != "ada" || q.Get("from") == "" ||
			q.Get("error_type") != "" && (q.Get("error_type") != "timeout" || q.Get("version") != "2" || q.Get("worker") != "w-1") {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		io.WriteString(w, `{"calls":[{"call_id":"c-8","tool":"send_email","state":"done","status":"error","error_type":"timeout","user":"ada","pool":"default","since":"2026-11-20T12:00:00Z","duration_ms":1.5}],"next":"5"}`)
	})
}

// TestDoctorOfSystem: its exit code follows the worst finding, and a server that cannot be
// reached has its own.
func TestDoctorOfSystem(t *testing.T) {
	t.Parallel()
	const ok, warning, bad = `{"level":"ok","part":"nats","message":"fine"}`,
		`{"level":"warning","part":"pools","message":"paused","advice":"resume"}`,
		`{"level":"error","part":"streams","message":"missing","advice":"restart"}`
	findings := ""
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"findings":[`+findings+`]}`)
	}))
	defer srv.Close()
	run := func(args ...string) (int, string) {
		t.Helper()
		doctor := &cobra.Command{Use: "doctor", RunE: func(*cobra.Command, []string) error { t.Error("the host was examined"); return nil }}
		var out, errs bytes.Buffer
		code := Run(t.Context(), append([]string{"doctor", "--server", srv.URL}, args...), strings.NewReader(""), &out, &errs, doctor)
		return code, out.String() + errs.String()
	}
	for _, tt := range []struct {
		findings string
		args     []string
		code     int
		said     string
	}{
		{ok, nil, 0, "fine"},
		{ok + "," + warning, nil, 0, "→ resume"},
		{ok + "," + warning, []string{"--strict"}, 1, "0 errors and 1 warnings"},
		{warning + "," + bad, nil, 1, "1 errors and 1 warnings"},
		{bad, []string{"--json"}, 1, `{"findings":[{"level":"error","part":"streams","message":"missing","advice":"restart"}]}`},
	} {
		findings = tt.findings
		if code, said := run(tt.args...); code != tt.code || !strings.Contains(said, tt.said) {
			t.Errorf("doctor %q of %s = %d, %q, want %d and %q", tt.args, tt.findings, code, said, tt.code, tt.said)
		}
	}
	srv.Close()
	if code, _ := run(); code != exitUnreachable {
		t.Errorf("doctor without a server = %d, want %d", code, exitUnreachable)
	}
}

func TestCutTo(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		line  string
		width int
		want  string
	}{{"abc", 0, "abc"}, {"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"äöüß", 2, "ä…"}, {"ab", 1, "…"}} {
		if got := cutTo(tt.line, tt.width); got != tt.want {
			t.Errorf("cutTo(%q, %d) = %q, want %q", tt.line, tt.width, got, tt.want)
		}
	}
}
