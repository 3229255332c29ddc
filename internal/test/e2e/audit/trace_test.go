package audit

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// spanTree collects spans over OTLP: the names by trace, each with that of its parent.
type spanTree struct {
	mu    sync.Mutex
	names map[string]string      // by span id
	spans map[string][][2]string // by trace: span id's name, parent id
}

func (c *spanTree) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var req collector.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(body, &req)
	}
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, rs := range req.GetResourceSpans() {
		for _, ss := range rs.GetScopeSpans() {
			for _, s := range ss.GetSpans() {
				c.names[string(s.GetSpanId())] = s.GetName()
				trace := hex.EncodeToString(s.GetTraceId())
				c.spans[trace] = append(c.spans[trace], [2]string{s.GetName(), string(s.GetParentSpanId())})
			}
		}
	}
}

// tree returns the spans of a trace as "parent > name", sorted.
func (c *spanTree) tree(trace string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []string
	for _, s := range c.spans[trace] {
		all = append(all, c.names[s[1]]+" > "+s[0])
	}
	slices.Sort(all)
	return all
}

// TestTraceOfACall: a trace shows where the time of a call was spent, including the wait
// for a person, and its nested calls.
func TestTraceOfACall(t *testing.T) {
	t.Parallel()
	c := &spanTree{names: map[string]string{}, spans: map[string][][2]string{}}
	srv := httptest.NewServer(c)
	t.Cleanup(srv.Close)
	s := system.Launch(t, system.Plan{Config: func(cfg *config.Config) { cfg.Telemetry.OTLPEndpoint, cfg.Telemetry.SampleRatio = srv.URL, 1 }})
	tenant, d := system.NewTenant(), s.HTTP(0)
	batch := system.Execute(t, d, tenant,
		`{"trace_id": "0af7651916cd43dd8448eb211c80319c", "calls": [{"tool": "batch_use_tool", "arguments": {"calls": [{"tool_name": "generate_uuid"}]}}]}`)
	if batch.Results[0].Status != "success" {
		t.Fatalf("the batch ended %v", batch.Results[0])
	}
	e := system.Park(t, d, tenant, `{"call_id": "asks", "tool": "debug.guarded", "arguments": {"key": "k"}}`)
	system.Grant(t, d, tenant, e.ConsentID)
	system.Settled(t, d, tenant, "asks")
	for trace, want := range map[string][]string{
		"0af7651916cd43dd8448eb211c80319c": {
			" > POST /v1/execute", "POST /v1/execute > accept batch_use_tool", "accept batch_use_tool > execute_tool batch_use_tool",
			"accept batch_use_tool > queue",
			"execute_tool batch_use_tool > gate", "execute_tool batch_use_tool > store result",
			"execute_tool batch_use_tool > tool", "execute_tool generate_uuid > gate", "execute_tool generate_uuid > tool",
			"tool > execute_tool generate_uuid",
		},
		e.TraceID: {
			" > POST /v1/execute", "POST /v1/execute > accept debug.guarded", "accept debug.guarded > consent wait",
			"accept debug.guarded > execute_tool debug.guarded",
			"accept debug.guarded > queue", "execute_tool debug.guarded > fence", "execute_tool debug.guarded > gate",
			"execute_tool debug.guarded > store result", "execute_tool debug.guarded > tool",
		},
	} {
		system.Eventually(t, "the spans of "+trace, func() bool {
			got := c.tree(trace)
			return !slices.ContainsFunc(want, func(span string) bool { return !slices.Contains(got, span) })
		})
	}
}
