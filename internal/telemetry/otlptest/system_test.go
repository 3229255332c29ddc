package otlptest

import (
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/e2e/system/mcpclient"
	"github.com/helve-dev/helve/internal/x/docsection"
)

var update = flag.Bool("update", false, "write the traces into docs/traces.md")

// secret is in all arguments and results of the calls.
const secret = "s3cr3t"

// TestTraces: the traces of calls, from two programs with a dispatcher and a worker, are
// as documented, and show no argument or result.
func TestTraces(t *testing.T) {
	address, sink, _ := receive(t)
	parents := make(chan string, 2)
	outside := func() *httptest.Server {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			parents <- r.Header.Get("Traceparent")
			fmt.Fprint(w, secret)
		}))
		t.Cleanup(srv.Close)
		return srv
	}
	foreign, known := outside(), outside()
	s, err := system.Start(t.TempDir(), system.Plan{Apart: true, Config: func(cfg *config.Config) {
		cfg.Telemetry.OTLPEndpoint = address
		cfg.Telemetry.TraceHosts = []string{strings.TrimPrefix(known.URL, "http://")}
		cfg.Groups = []string{"webFetch=on"}
		cfg.Log.Level = "debug"
	}})
	stop := func() {
		if err := s.Stop(); err != nil {
			t.Errorf("the system did not drain: %v", err)
		}
	}
	if err != nil {
		stop()
		t.Fatal(err)
	}
	d, tenant := s.HTTP(0), system.NewTenant()
	traces := map[string]string{}
	run := func(name string, door system.Door, call string) system.Element {
		e := system.Execute(t, door, tenant, system.AsUser(30000, call)).Results[0]
		traces[name] = e.TraceID
		return e
	}
	success := func(e system.Element) {
		t.Helper()
		if e.Status != "success" {
			t.Fatalf("the call ended %v", e)
		}
	}
	success(run("call", d, `{"tool": "debug.echo", "tool_call_id": "toolu_1", "arguments": {"value": "`+secret+`"}}`))
	success(run("nats", s.NATS(), `{"tool": "debug.echo", "arguments": {"value": "`+secret+`"}}`))
	parked := run("consent", d, `{"tool": "debug.guarded", "arguments": {"key": "`+secret+`"}}`)
	system.Grant(t, d, tenant, parked.ConsentID)
	success(system.Settled(t, d, tenant, parked.CallID))
	success(run("batch", d,
		`{"tool": "batch_use_tool", "arguments": {"calls": [{"tool_name": "debug.echo", "tool_arguments": {"value": "`+secret+`"}}]}}`))
	system.CreateTool(t, s, tenant, system.CustomTool{
		Name: "calls_echo", Code: `return await utils.callTool("debug.echo", {value: args.tool})`,
	})
	success(system.UseTool(t, d, tenant, "calls_echo", `{"tool": "`+secret+`"}`)) // until it is known
	success(run("script", d, `{"tool": "calls_echo", "arguments": {"tool": "`+secret+`"}}`))
	success(run("store", d, `{"tool": "add_note", "arguments": {"title": "`+secret+`", "content": "`+secret+`"}}`))
	success(run("http", d, `{"tool": "http_request", "arguments": {"url": "`+foreign.URL+`/`+secret+`"}}`))
	success(run("program", d, `{"tool": "run_program", "arguments": {"input": "`+secret+`", "code": "`+
		`await tools.debug.echo({value: input}); await program.sleep('3s'); `+
		`return await tools.run_program({input, code: 'return await tools.debug.echo({value: input})'})"}}`))
	success(run("known", d, `{"tool": "http_request", "arguments": {"url": "`+known.URL+`/`+secret+`"}}`))
	if e := run("refused", d, `{"tool": "no_such_tool_`+secret+`", "arguments": {}}`); e.ErrorType != "tool_not_found" {
		t.Errorf("a call of no tool ended %v", e)
	}
	const mcpTrace = "0af7651916cd43dd8448eb211c80319c"
	traces["mcp"] = mcpTrace
	posted := mcpclient.Post(t, mcpclient.Web(t, s, map[string]string{"Helve-Tenant": tenant}),
		map[string]string{"MCP-Protocol-Version": "2025-11-25"},
		`{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "debug.echo", "arguments": {"value": "`+secret+
			`"}, "_meta": {"traceparent": "00-`+mcpTrace+`-b7ad6b7169203331-01"}}}`)
	if !strings.Contains(fmt.Sprint(posted), secret) {
		t.Fatalf("the MCP call was answered %v", posted)
	}
	stop() // sends all spans

	byTrace := spansOf(sink)
	for _, name := range []string{"call", "nats", "mcp", "consent", "batch", "script", "store", "http", "refused"} {
		if err := docsection.Sync("../../../docs/traces.md", "trace "+name, tree(t, byTrace[traces[name]]), *update); err != nil {
			t.Errorf("%v\n%s", err, tree(t, byTrace[traces[name]]))
		}
	}
	testProgram(t, byTrace[traces["program"]])
	testAttributes(t, byTrace[traces["call"]], tenant, traces["call"])
	testOutside(t, byTrace, traces, <-parents, <-parents)
	testNoSecrets(t, byTrace)
	testLog(t, s, byTrace[traces["store"]])
}

// testAttributes checks what spans say of a call.
func testAttributes(t *testing.T, spans []received, tenant, trace string) {
	t.Helper()
	instances := map[string]string{}
	for _, s := range spans {
		program, _ := s.from.Get("service.name")
		instance, _ := s.from.Get("service.instance.id")
		instances[program.Str()] = instance.Str()
		if _, ok := s.from.Get("service.version"); !ok || instance.Str() == "" || s.TraceID().String() != trace {
			t.Errorf("%s of %v lacks the version or instance of its program", s.Name(), s.from.AsRaw())
		}
	}
	if len(instances) != 2 {
		t.Errorf("spans came from %v, want a dispatcher and a worker", instances)
	}
	got := attributes(spans, "execute_tool debug.echo")
	callID, worker := got["helve.call_id"], got["helve.worker"]
	if callID == "" || worker == "" {
		t.Errorf("the call has the attributes %v, want its id and its worker", got)
	}
	for name, want := range map[string]map[string]any{
		"execute_tool debug.echo": {
			"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "debug.echo", "gen_ai.tool.call.id": "toolu_1",
			"helve.call_id": callID, "helve.tenant": tenant, "helve.pool": "default", "helve.worker": worker, "helve.attempt": int64(1),
		},
		"POST /v1/execute": {
			"http.request.method": "POST", "http.route": "/v1/execute", "http.response.status_code": int64(200),
			"helve.operation": "execute", "helve.door": "http", "helve.tenant": tenant,
		},
	} {
		if diff := cmp.Diff(want, attributes(spans, name)); diff != "" {
			t.Errorf("the attributes of %s differ (-want +got):\n%s", name, diff)
		}
	}
}

// testOutside checks that only a host that the operator listed is named and learns of a
// trace.
func testOutside(t *testing.T, byTrace map[string][]received, traces map[string]string, foreign, known string) {
	t.Helper()
	at := attributes(byTrace[traces["http"]], "GET")
	if foreign != "" || at["server.address"] != nil || at["http.response.status_code"] != int64(200) {
		t.Errorf("a foreign host received the traceparent %q, and its span has %v", foreign, at)
	}
	at = attributes(byTrace[traces["known"]], "GET")
	if !strings.Contains(known, traces["known"]) || at["server.address"] != "127.0.0.1" {
		t.Errorf("a host that may learn of traces received the traceparent %q, and its span has %v", known, at)
	}
}

// testNoSecrets checks that no span has a part of an argument or result.
func testNoSecrets(t *testing.T, byTrace map[string][]received) {
	t.Helper()
	for _, spans := range byTrace {
		for _, s := range spans {
			if strings.Contains(s.Name()+fmt.Sprint(s.Attributes().AsRaw())+s.Status().Message(), secret) || s.Events().Len() > 0 {
				t.Errorf("%s shows what was sent: %v", s.Name(), s.Attributes().AsRaw())
			}
		}
	}
}

// testLog checks that the line of the log about a call has the ids of its span.
func testLog(t *testing.T, s *system.System, spans []received) {
	t.Helper()
	for _, span := range spans {
		if span.Name() != "execute_tool add_note" {
			continue
		}
		id, _ := span.Attributes().Get("helve.call_id")
		lines := s.Logs.About(t, id.Str())
		if len(lines) != 1 || lines[0]["trace_id"] != span.TraceID().String() || lines[0]["span_id"] != span.SpanID().String() {
			t.Errorf("the log has %v, want one line with the trace %s and the span %s", lines, span.TraceID(), span.SpanID())
		}
		return
	}
	t.Error("no span of add_note")
}
