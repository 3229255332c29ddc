package people

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestScheduledPrompt: a prompt that is due is a loop of calls with the model, each with an
// id, a decision and a record of its own; a call that needs a person is refused.
func TestScheduledPrompt(t *testing.T) {
	t.Parallel()
	answers := []string{
		`{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"use_tool","arguments":"{\"tool_name\":\"add_note\",\"arguments\":{\"title\":\"Call Bob\",\"content\":\"now\"}}"}}]}`,
		`{"role":"assistant","content":null,"tool_calls":[{"id":"b","type":"function","function":{"name":"use_tool","arguments":"{\"tool_name\":\"debug.guarded\",\"arguments\":{\"key\":\"k\"}}"}},` +
			`{"id":"c","type":"function","function":{"name":"use_tool","arguments":"{\"tool_name\":\"add_note\",\"arguments\":{\"title\":\"Call Eve\",\"content\":\"then\"}}"}}]}`,
		`{"role":"assistant","content":"Done."}`,
	}
	var asked atomic.Int64
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n := min(int(asked.Add(1)), len(answers))
		_, _ = fmt.Fprintf(w, `{"choices":[{"message":%s}],"usage":{"total_tokens":9}}`, answers[n-1])
	}))
	t.Cleanup(model.Close)
	tenant := system.NewTenant()
	file := filepath.Join(t.TempDir(), "services.yaml")
	if err := os.WriteFile(file, []byte(`[{tenant: `+tenant+`, service: openai, data: {base_url: "`+model.URL+`/v1", api_key: k}}]`),
		0o600); err != nil {
		t.Fatal(err)
	}
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) {
		c.ServicesFile, c.AllowHosts = file, []string{strings.TrimPrefix(model.URL, "http://")}
	}})
	d := s.HTTP(0)
	made := resultOf[scheduled](t, d, tenant, "ann", "create_scheduled_task",
		`{"name":"Remind me","schedule":"`+in(2*time.Second)+`","prompt":"Remind me of Bob and Eve"}`)
	runs := ended(t, d, tenant, "ann", made.Task.ID, 1)
	if len(runs) != 1 || runs[0].Status != "success" {
		t.Fatalf("history %+v", runs)
	}
	if notes := resultOf[struct{ Total int }](t, d, tenant, "ann", "list_notes", `{}`); notes.Total != 2 || asked.Load() != 3 {
		t.Errorf("%d notes after %d requests, want 2 after 3", notes.Total, asked.Load())
	}
	for id, want := range map[string]string{
		"": `"tool":"run_prompt"`, "~1": `"tool":"add_note"`, "~2": `"phase":"refused"`, "~3": `"tool":"add_note"`,
	} {
		system.Eventually(t, "the record of the call "+id, func() bool {
			r := d.Ask(t, tenant, "audit.query", map[string]string{"call_id": runs[0].CallID + id}, "")
			return r.Status == 200 && strings.Contains(string(r.Body), want)
		})
	}
	var call struct{ Result json.RawMessage }
	if r := d.Ask(t, tenant, "calls.get", map[string]string{"call_id": runs[0].CallID}, ""); json.Unmarshal(r.Body, &call) != nil ||
		!strings.Contains(string(r.Body), "Done.") {
		t.Errorf("the run's result is %s", r.Body)
	}
}
