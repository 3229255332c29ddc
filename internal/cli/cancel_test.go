package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// callServer has calls c1 to c4 that are not done, on two pages, of which c3 ends before it can be
// cancelled; and c9, whose tool made calls. It notes what it cancels.
func callServer(t *testing.T, cancels *[]string) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/calls", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		switch {
		case q.Get("status") != "pending" || q.Get("tool") != "fetch_url" || q.Get("user") != "ada" || q.Get("trace_id") != "":
			io.WriteString(w, `{"calls":[]}`)
		case q.Get("cursor") == "":
			io.WriteString(w, `{"calls":[{"call_id":"c1","state":"queued"},{"call_id":"c2","state":"running"}],"next":"n"}`)
		default:
			io.WriteString(w, `{"calls":[{"call_id":"c3","state":"running"},{"call_id":"c4","state":"awaiting_consent"}]}`)
		}
	})
	mux.HandleFunc("POST /v1/calls/{id}/cancel", func(w http.ResponseWriter, r *http.Request) {
		id := r.PathValue("id")
		*cancels = append(*cancels, id)
		switch id {
		case "c3":
			io.WriteString(w, `{"call_id":"c3","status":"success","state":"done"}`)
		case "c4":
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusServiceUnavailable)
			io.WriteString(w, `{"error_type":"overloaded","detail":"not now"}`)
		default:
			io.WriteString(w, `{"call_id":"`+id+`","status":"pending","state":"running"}`)
		}
	})
	mux.HandleFunc("GET /v1/calls/c9", func(w http.ResponseWriter, r *http.Request) {
		const call = `"call_id":"c9","tool":"use_tool","status":"success","state":"done","result":{"n":1}`
		io.WriteString(w, `{`+call+map[string]string{
			"":          "",
			"arguments": `,"arguments":{"tool_name":"batch"}`,
			"steps":     `,"steps":[{"step":"accepted","at":"2026-11-21T02:13:43.7Z"},{"step":"done","at":"2026-11-21T02:13:44.2Z"}]`,
		}[r.URL.Query().Get("include")]+`}`)
	})
	mux.HandleFunc("GET /v1/calls/{id}", func(w http.ResponseWriter, r *http.Request) { // its result has expired
		if !strings.Contains(r.URL.Query().Get("include"), "result") {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusNotFound)
			io.WriteString(w, `{"error_type":"not_found","detail":"no call with this call_id is known"}`)
			return
		}
		io.WriteString(w, `{"call_id":"`+r.PathValue("id")+`","tool":"send","status":"error","state":"done","error_type":"timeout","message":"too late",`+
			`"worker":"w1",`+map[string]string{
			"old":   `"arguments":{"to":"ada"},"kept":{"by":"history","until":"2026-12-21T02:13:44Z","left_out":70000}`,
			"older": `"kept":{"by":"record"}`,
		}[r.PathValue("id")]+`}`)
	})
	mux.HandleFunc("GET /v1/audit", func(w http.ResponseWriter, r *http.Request) {
		const at = `"time":"2026-11-21T02:13:44Z","trace_id":"t1"`
		own := `{"call_id":"c9","tool":"use_tool","phase":"finished",` + at + `,"duration_ms":2,"result":{"status":"success"}}`
		switch q := r.URL.Query(); {
		case r.Header.Get("Authorization") == "Bearer agent":
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusForbidden)
			io.WriteString(w, `{"error_type":"forbidden","detail":"it requires the role auditor"}`)
		case q.Get("call_id") == "c9":
			io.WriteString(w, `{"records":[`+own+`]}`)
		case q.Get("trace_id") == "t1":
			io.WriteString(w, `{"records":[`+own+
				`,{"call_id":"c9~1","tool":"batch","phase":"finished",`+at+`,"duration_ms":1.5,"result":{"status":"success"}}`+
				`,{"call_id":"c9~1~2","tool":"read_file","phase":"finished",`+at+
				`,"duration_ms":1,"result":{"status":"error","error_type":"file_not_found"}}`+
				`,{"call_id":"c90","tool":"other","phase":"finished",`+at+`}]}`)
		}
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv.URL
}

// TestCancelMany: calls are cancelled after a yes only, all pages of them, and their number is said.
func TestCancelMany(t *testing.T) {
	t.Parallel()
	var cancels []string
	url := callServer(t, &cancels)
	for _, tt := range []struct {
		args      string
		code      int
		out, errs string
		cancels   string
	}{
		{"--user ada --tool fetch_url", 2, "", "helve: this cancels 4 calls; give --yes to do it\n", ""},
		{"--user ada --tool fetch_url --yes", 1, "2 calls cancelled, 1 done before\n", "c4: overloaded: not now\n", "c1 c2 c3 c4"},
		{"--trace 0af7 --yes", 0, "0 calls cancelled\n", "", ""},
		{
			"--tool fetch_url --user ada --yes --json", 1, `{"cancelled":["c1","c2"],"done":["c3"],"failed":{"c4":"overloaded: not now"}}`,
			"1 call not cancelled", "c1 c2 c3 c4",
		},
		{"c1", 0, "c1: running, being cancelled\n", "", "c1"},
		{"c1 --tool fetch_url", 2, "", "not both", ""},
		{"", 2, "", "give CALL_ID, or --user", ""},
	} {
		cancels = nil
		got := run(t.Context(), append([]string{"cancel", "--server", url}, strings.Fields(tt.args)...)...)
		if got.code != tt.code || !strings.Contains(got.stdout, tt.out) || !strings.Contains(got.stderr, tt.errs) ||
			strings.Join(cancels, " ") != tt.cancels {
			t.Errorf("helve cancel %s = %+v and cancels %v, want %+v", tt.args, got, cancels, tt)
		}
	}
}

// TestGetDetail: a call is printed with its arguments, and its steps and those of the calls that
// its tool made as a tree. Who may not read the trail sees the call without those.
func TestGetDetail(t *testing.T) {
	t.Parallel()
	url := callServer(t, new([]string))
	const (
		arguments = "arguments:\n{\n  \"tool_name\": \"batch\"\n}\n"
		own       = "steps:\n  c9  use_tool%s\n    2026-11-21T02:13:43.700Z  accepted\n    2026-11-21T02:13:44.200Z  done\n"
		nested    = "    c9~1  batch  success after 1.5ms\n      2026-11-21T02:13:44.000Z  finished\n" +
			"      c9~1~2  read_file  file_not_found after 1ms\n        2026-11-21T02:13:44.000Z  finished\n"
		result = "{\n  \"n\": 1\n}\n"
	)
	for args, want := range map[string]output{
		"":                    {0, result, ""},
		"--arguments":         {0, arguments + "result:\n" + result, ""},
		"--arguments --steps": {0, arguments + strings.Replace(own, "%s", "  success after 2ms", 1) + nested + "result:\n" + result, ""},
		"--steps --token agent": {
			0, strings.Replace(own, "%s", "", 1) + "result:\n" + result,
			"note: the calls that it made are not shown: forbidden: it requires the role auditor\n",
		},
	} {
		got := run(t.Context(), append([]string{"get", "c9", "--server", url}, strings.Fields(args)...)...)
		if got != want {
			t.Errorf("helve get c9 %s = %+v\nwant %+v", args, got, want)
		}
	}
	got := run(t.Context(), "get", "c9", "--server", url, "--arguments", "--steps", "--json")
	if !strings.Contains(got.stdout, `"arguments":{"tool_name":"batch"},"tree":{"call_id":"c9","tool":"use_tool"`) ||
		!strings.Contains(got.stdout, `"call_id":"c9~1~2"`) {
		t.Errorf("helve get --json = %+v", got)
	}
}

// TestGetExpired: a call whose result has expired is printed as it is kept, with a note.
func TestGetExpired(t *testing.T) {
	t.Parallel()
	url := callServer(t, new([]string))
	for args, want := range map[string]struct{ out, errs []string }{
		"old": {nil, []string{"timeout", "too late", "from the history, until 2026-12-21T02:13:44Z", "70000 bytes was too large"}},
		"old --arguments": {
			[]string{"arguments:\n{\n  \"to\": \"ada\"\n}\n"}, []string{"too late", "from the history"},
		},
		"older --arguments": {nil, []string{"too late", "this is from its audit record", "its arguments are not kept"}},
	} {
		got := run(t.Context(), append([]string{"get", "--server", url}, strings.Fields(args)...)...)
		if got.code == 0 {
			t.Errorf("helve get %s = %+v, want the failure of the call", args, got)
		}
		for _, text := range want.out {
			if !strings.Contains(got.stdout, text) {
				t.Errorf("helve get %s = %+v, want %q", args, got, text)
			}
		}
		for _, text := range want.errs {
			if !strings.Contains(got.stdout+got.stderr, text) {
				t.Errorf("helve get %s = %+v, want %q", args, got, text)
			}
		}
	}
}
