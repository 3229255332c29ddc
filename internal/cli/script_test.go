package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"helve": func() {
			os.Exit(Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, jsCommand()))
		},
	})
}

// TestScripts runs the commands as a person does, against a server that speaks
// the protocol.
func TestScripts(t *testing.T) {
	srv := httptest.NewServer(fakeServer())
	t.Cleanup(srv.Close) // the scripts run when this function has returned
	nobody, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody.Close()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("HELVE_SERVER", srv.URL)
			env.Setenv("NOBODY", nobody.Addr().String())
			// With the race detector each command would stay for a second after its end.
			env.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0")
			return nil
		},
	})
}

// calls holds the answers of tools. The tool "echo" answers with its request.
var calls = map[string]string{
	"text":   `"status":"success","result":{"lines":1},"text":"hello\nworld","duration_ms":1.7,"attempt":1,"worker":"w-1","metadata":{}`,
	"string": `"status":"success","result":"a \"quoted\" line\n","duration_ms":1`,
	"object": `"status":"success","result":{"n":12345678901234567890.10,"list":[1,2]},"duration_ms":1`,
	"null":   `"status":"success","result":null,"duration_ms":1`,
	"fails":  `"status":"error","error_type":"file_not_found","message":"notes.txt does not exist","duration_ms":1`,
	"slow":   `"status":"pending","state":"running"`,
	"parked": `"status":"pending","state":"awaiting_consent","consent_id":"k1"`,
	"nope":   `"status":"error","error_type":"tool_not_found","message":"Tool 'nope' not found"`,
}

const echoTool = `{"name":"echo","description":"Returns what it is sent.\nFor tests.","category":"Diagnostics","group":"diagnostics","version":"1","parameters":{"type":"object","properties":{` +
	`"text":{"type":"string","description":"Any text."},` +
	`"count":{"type":"integer","minimum":1,"maximum":50,"default":20,"description":"How often."},` +
	`"ratio":{"type":"number","maximum":1},` +
	`"flag":{"type":"boolean","default":false},` +
	`"list":{"type":"array","items":{"type":"string"}},` +
	`"tree":{"type":"object"},` +
	`"none":{"type":["null","boolean"]},` +
	`"maybe":{"type":["string","integer"]},` +
	`"mode":{"type":"string","enum":["fast","slow"],"default":"fast"},` +
	`"any":{}},"required":["text"]},"risk":"low","confirmation":"if_destructive","requires_confirmation":false,"mutates":false,"destructive":false,"idempotent":true,"open_world":false,"scopes":{"paths":[],"hosts":[],"apps":[]},"required_permissions":[],"timeout_seconds":10,"tags":[],"pool":"default","kind":"builtin","enabled":true}`

const writeTool = `{"name":"write_file","description":"Writes.","category":"File System","group":"filesystem","parameters":{"type":"object","properties":{}},"risk":"medium","mutates":true,"destructive":true,"open_world":true,"confirmation":"always","aliases":["save"],"required_permissions":["disk"],"enabled":false}`

func fakeServer() http.Handler {
	mux := http.NewServeMux()
	answer := func(pattern, body string) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) })
	}
	refuse := func(w http.ResponseWriter, status int, kind, detail string) {
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"type":"about:blank","status":%d,"error_type":%q,"detail":%q}`, status, kind, detail)
	}
	mux.HandleFunc("POST /v1/execute", execute)
	mux.HandleFunc("GET /v1/tools", func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		switch {
		case query.Get("format") == "openai":
			io.WriteString(w, `{"tools":[{"type":"function","function":{"name":"echo"}}]}`)
		case query.Get("format") != "" && query.Get("format") != "native":
			refuse(w, 400, "bad_request", "format \"gemini\" is not available; use native")
		case query.Get("q") == "nothing like it":
			io.WriteString(w, `{"tools":[]}`)
		case query.Get("agent") == "a1" && query.Get("group") == "filesystem":
			io.WriteString(w, `{"tools":[`+writeTool+`]}`)
		default:
			io.WriteString(w, `{"tools":[`+echoTool+`,`+writeTool+`]}`)
		}
	})
	mux.HandleFunc("GET /v1/tools/{name}", func(w http.ResponseWriter, r *http.Request) {
		switch r.PathValue("name") {
		case "echo":
			io.WriteString(w, echoTool)
		case "write_file":
			io.WriteString(w, writeTool)
		default:
			refuse(w, 404, "not_found", "there is no tool \"nope\"")
		}
	})
	for id, element := range calls {
		answer("GET /v1/calls/"+id, `{"call_id":"`+id+`","tool":"x",`+element+`}`)
		answer("POST /v1/calls/"+id+"/cancel", `{"call_id":"`+id+`","tool":"x",`+element+`}`)
	}
	mux.HandleFunc("GET /v1/calls/{call_id}", func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, 404, "not_found", "no such call")
	})
	const record = `{"agent":"a1","tools":["read_*","echo"],"groups":[],"deny":["web"]}`
	answer("GET /v1/agents", `{"agents":[`+record+`]}`)
	answer("GET /v1/agents/a1", record)
	answer("DELETE /v1/agents/a1", `{}`)
	mux.HandleFunc("DELETE /v1/agents/{agent}", func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, 404, "not_found", "agent \"a2\" has no record")
	})
	mux.HandleFunc("PUT /v1/agents/{agent}", func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) })
	answer("GET /v1/groups", `{"groups":[{"name":"diagnostics","category":"Diagnostics","enabled":false,"tools":["echo"]},{"name":"web","category":"Web & API","enabled":true,"tools":[]}]}`)
	mux.HandleFunc("GET /v1/events", events)
	office(mux)
	workshop(mux)
	return mux
}

func execute(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Context json.RawMessage              `json:"context"`
		TraceID string                       `json:"trace_id"`
		WaitMS  *int64                       `json:"wait_ms"`
		Calls   []map[string]json.RawMessage `json:"calls"`
	}
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	call := req.Calls[0]
	name := strings.Trim(string(call["tool"]), `"`)
	element, ok := calls[name]
	if !ok {
		asked, err := json.Marshal(map[string]any{
			"tenant": r.Header.Get("Helve-Tenant"), "context": req.Context, "trace_id": req.TraceID, "wait_ms": req.WaitMS,
			"timeout_ms": call["timeout_ms"], "arguments": call["arguments"], "confirm_token": call["confirm_token"],
		})
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		element = `"status":"success","result":` + string(asked)
		if name == "echo" {
			element = `"status":"success","result":` + string(call["arguments"])
		}
	}
	fmt.Fprintf(w, `{"trace_id":"t","results":[{"call_id":%s,"tool":%q,%s}]}`, call["call_id"], name, element)
}

func events(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	for i, data := range []string{`{}`, `{"message":"half\nway"}`, `{"percent":50}`} {
		kind := []string{"started", "log", "progress"}[i]
		fmt.Fprintf(w,
			"id: %d\nevent: %s\ndata: {\"type\":%q,\"time\":\"2026-11-20T12:00:00.5Z\",\"trace_id\":\"t\",\"call_id\":\"c1\",\"tool\":\"echo\","+
				"\"data\":%s}\n\n",
			i, kind, kind, data)
	}
}
