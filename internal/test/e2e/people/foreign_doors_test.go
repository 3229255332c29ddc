package people

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/e2e/system/mcpclient"
)

// theirs holds the objects of ann that TestForeignDoors attacks.
type theirs struct {
	trace, consent, question, grant, token, version string
}

// belongings makes one of each kind of object that a person can own.
func (f *foreigners) belongings(t *testing.T) (of theirs) {
	t.Helper()
	of.trace = system.NewTrace()
	run := func(calls string) system.Element {
		return system.Execute(t, f.ann, "default", fmt.Sprintf(`{"trace_id": %q, "calls": [%s]}`, of.trace, calls)).Results[0]
	}
	of.consent = run(`{"call_id": "anns-parked", "tool": "debug.guarded", "arguments": {"key": "k1"}}`).ConsentID
	of.question = run(`{"call_id": "anns-question", "tool": "ask_user", "arguments": {"question": "Which account?"}}`).ConsentID
	remembered := run(`{"tool": "debug.guarded", "arguments": {"key": "k2"}}`)
	if r := system.Decide(t, f.ann, "default", remembered.ConsentID, `{"decision": "grant", "remember": "never"}`); r.Status != 400 {
		t.Errorf("a term that is none = %d %s", r.Status, r.Body)
	}
	if r := system.Decide(t, f.ann, "default", remembered.ConsentID, `{"decision": "deny", "never_ask": true}`); r.Status != 200 {
		t.Fatalf("deny = %d %s", r.Status, r.Body)
	}
	system.Settled(t, f.ann, "default", remembered.CallID)
	system.Eventually(t, "ann's answer is remembered", func() bool {
		list := system.Decode[struct {
			Grants []struct {
				ID string `json:"grant_id"`
			} `json:"grants"`
		}](t, f.ann.Ask(t, "default", "grants.list", nil, "{}")).Grants
		if len(list) == 1 {
			of.grant = list[0].ID
		}
		return of.grant != ""
	})
	of.token = system.Decode[struct {
		Token string `json:"token"`
	}](t,
		f.ann.Ask(t, "default", "tokens.mint", nil, fmt.Sprintf(`{"trace_id": %q, "tools": ["create_tool"], "reusable": true}`, of.trace))).Token
	for _, text := range []string{"ann's secret", "newer"} {
		if e := run(fmt.Sprintf(`{"tool": "write_file", "arguments": {"path": "diary.txt", "content": %q}}`, text)); e.Status != "success" {
			t.Fatalf("write_file = %+v", e)
		}
	}
	var info struct {
		Versions []struct {
			Version string `json:"version"`
		} `json:"versions"`
	}
	e := run(`{"tool": "file_info", "arguments": {"path": "diary.txt"}}`)
	if err := json.Unmarshal(e.Result, &info); err != nil || len(info.Versions) != 1 {
		t.Fatalf("file_info = %s, %v; want one version", e.Result, err)
	}
	of.version = info.Versions[0].Version
	return of
}

// TestForeignDoors: bob uses every operation on ann's objects, over HTTP and NATS, and gets
// the answers for objects that do not exist.
func TestForeignDoors(t *testing.T) {
	t.Parallel()
	f := newForeigners(t)
	of := f.belongings(t)
	for name, d := range map[string]system.Door{"http": f.bob, "nats": f.bobsNATS} {
		for _, tt := range []struct {
			operation string
			params    map[string]string
			body      string
			want      int
		}{
			{"consent.list", map[string]string{"user": "ann"}, "{}", 403},
			{"consent.get", map[string]string{"consent_id": of.consent}, "{}", 404},
			{"consent.get", map[string]string{"consent_id": of.consent, "user": "ann"}, "{}", 403},
			{"consent.get", map[string]string{"consent_id": of.question}, "{}", 404},
			{"consent.decide", map[string]string{"consent_id": of.consent}, `{"decision": "grant", "by": "ann"}`, 403},
			{"consent.decide", map[string]string{"consent_id": of.consent}, `{"decision": "grant", "context": {"user": "ann"}}`, 403},
			{"consent.decide", map[string]string{"consent_id": of.consent}, `{"decision": "deny"}`, 404},
			{"consent.decide", map[string]string{"consent_id": of.question}, `{"decision": "grant", "answer": {"answer": "bob's"}}`, 404},
			{"consent.decide", map[string]string{"consent_id": of.question}, `{"decision": "grant", "answer": {"wrong": 1}}`, 404},
			{"grants.list", map[string]string{"user": "ann"}, "{}", 403},
			{"grants.revoke", map[string]string{"grant_id": of.grant}, "{}", 404},
			{"grants.revoke", map[string]string{"grant_id": of.grant, "by": "ann"}, "{}", 403},
			{"tokens.mint", nil, fmt.Sprintf(`{"user": "ann", "trace_id": %q, "tools": ["create_tool"]}`, of.trace), 403},
			{"tokens.mint", nil, fmt.Sprintf(`{"by": "ann", "trace_id": %q, "tools": ["create_tool"]}`, of.trace), 403},
			{"audit.query", map[string]string{"user": "bob"}, "{}", 403},
			{"audit.export", nil, "{}", 403},
			{"audit.verify", nil, "{}", 403},
			{"tools.list", map[string]string{"user": "ann"}, "{}", 403},
			{"groups.list", map[string]string{"user": "ann"}, "{}", 403},
			{"custom.list", map[string]string{"owner": "ann"}, "{}", 403},
			{"calls.get", map[string]string{"call_id": "anns-parked~1"}, "{}", 404},
			{"calls.get", map[string]string{"call_id": "anns-parked~x"}, "{}", 400},
			{"calls.get", map[string]string{"call_id": "anns-parked.>"}, "{}", 400},
			{"calls.cancel", map[string]string{"call_id": "*"}, "{}", 400},
			{"calls.cancel", map[string]string{"call_id": "anns-parked"}, "{}", 404},
			{"agents.put", map[string]string{"agent": "other"}, "{}", 403},
			{"remote.register", nil, `{"instance": "i", "ttl_ms": 3000, "tools": []}`, 403},
		} {
			if _, known := system.Routes[tt.operation]; name == "http" && !known {
				continue
			}
			r := d.Ask(t, "default", tt.operation, tt.params, tt.body)
			if r.Status != tt.want || strings.Contains(string(r.Body), "diary") || strings.Contains(string(r.Body), "account?") {
				t.Errorf("%s: %s %v %s = %d %.300s, want %d", name, tt.operation, tt.params, tt.body, r.Status, r.Body, tt.want)
			}
		}
		if r := d.Ask(t, "default", "grants.list", nil, "{}"); r.Status != 200 || strings.Contains(string(r.Body), of.grant) {
			t.Errorf("%s: bob's grants are %s", name, r.Body)
		}
		f.calledByBob(t, name, d, of)
	}

	// Ann's objects are unchanged.
	for id, consent := range map[string]string{"anns-parked": of.consent, "anns-question": of.question} {
		if e := system.ByID(t, f.ann, "calls.get", "default", id); e.State != "awaiting_consent" || e.ConsentID != consent {
			t.Errorf("%s is %+v, want it to wait for ann", id, e)
		}
	}
	if r := system.Decide(t, f.ann, "default", of.question, `{"decision": "grant", "answer": {"answer": "ann's"}}`); r.Status != 200 {
		t.Fatalf("ann's answer = %d %s", r.Status, r.Body)
	}
	system.WantResult(t, system.Settled(t, f.ann, "default", "anns-question"), `{"answer":"ann's"}`)
	if r := f.ann.Ask(t, "default", "grants.list", nil, "{}"); !strings.Contains(string(r.Body), of.grant) {
		t.Errorf("ann's grants are %s", r.Body)
	}
	if e := system.ExecuteDefault(t, f.ann,
		`{"tool": "read_file", "arguments": {"path": "diary.txt"}}`); !strings.Contains(string(e.Result), "newer") {
		t.Errorf("ann's file is %s", e.Result)
	}
}

// calledByBob makes bob's calls that refer to ann's objects.
func (f *foreigners) calledByBob(t *testing.T, name string, d system.Door, of theirs) {
	t.Helper()
	token := fmt.Sprintf(`{"trace_id": %q, "calls": [{"tool": "create_tool", "confirm_token": %q, "arguments": {"name": "bobs", "description": "d", "parameters": {"type": "object", "properties": {}}, "code": "return 1"}}]}`, of.trace, of.token)
	system.WantError(t, system.Execute(t, d, "default", token).Results[0], "permission_denied", "")
	for _, call := range []string{
		`{"tool": "read_file", "arguments": {"path": "diary.txt"}}`,
		`{"tool": "read_file", "arguments": {"path": "../ann/diary.txt"}}`,
		`{"tool": "read_file", "arguments": {"path": "../ann.versions/diary.txt"}}`,
		`{"tool": "list_directory", "arguments": {"path": "../ann.versions"}}`,
		`{"tool": "file_info", "arguments": {"path": "../ann/diary.txt"}}`,
		fmt.Sprintf(`{"tool": "restore_file", "arguments": {"path": "diary.txt", "version": %q}}`, of.version),
		fmt.Sprintf(`{"tool": "restore_file", "arguments": {"path": "../ann/diary.txt", "version": %q}}`, of.version),
	} {
		if e := system.ExecuteDefault(t, d, call); e.Status != "error" || strings.Contains(e.Message, "secret") {
			t.Errorf("%s: bob's %s = %+v %s, want an error", name, call, e, e.Result)
		}
	}
	// Re-sent ids in every form of a request, including a model's message.
	for _, body := range []string{
		`{"wait_ms": 0, "calls": [{"call_id": "anns-question", "tool": "ask_user", "arguments": {"question": "Which account?"}}]}`,
		`{"wait_ms": 0, "calls": [{"call_id": "anns-parked", "tool": "debug.guarded", "arguments": {"key": "k1"}}]}`,
		`{"wait_ms": 0, "context": {"agent": "assistant"}, "calls": [{"call_id": "anns-question", "tool": "ask_user", "arguments": {"question": "Which account?"}}]}`,
	} {
		e := system.Execute(t, d, "default", body).Results[0]
		if e.ErrorType != "validation_error" || e.ConsentID != "" {
			t.Errorf("%s: %s = %+v, want a validation error without a consent", name, body, e)
		}
	}
}

// TestForeignElicitation: the state of a question to ann is useless to bob, and bob's own
// task accepts no answer for hers.
func TestForeignElicitation(t *testing.T) {
	t.Parallel()
	f := newForeigners(t)
	ask := func(who, method, name, extension, params string, more ...string) string {
		head := map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": name}
		for i := 0; i < len(more); i += 2 {
			head[more[i]] = more[i+1]
		}
		return mcpclient.Post(t, f.web[who].Client, head, `{"jsonrpc":"2.0","id":1,"method":"`+method+
			`","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{`+extension+
			`"elicitation":{"form":{}}}},`+params+`}}`).Body
	}
	const call = `"name":"ask_user","arguments":{"question":"Which account?"}`
	var given struct {
		Result struct {
			State    string                     `json:"requestState"`
			Requests map[string]json.RawMessage `json:"inputRequests"`
		} `json:"result"`
	}
	text := ask("ann", "tools/call", "ask_user", "", call)
	if err := json.Unmarshal([]byte(text), &given); err != nil || given.Result.State == "" || len(given.Result.Requests) != 1 {
		t.Fatalf("ann is answered %s, %v; want a question", text, err)
	}
	key := slices.Collect(maps.Keys(given.Result.Requests))[0]
	answer := `"inputResponses":{"` + key + `":{"action":"accept","content":{"answer":"bob's"}}}`
	for name, more := range map[string][]string{"as himself": nil, "as ann": {"Helve-User", "ann"}} {
		if got := ask("bob", "tools/call", "ask_user", "", call+`,"requestState":"`+given.Result.State+`",`+answer,
			more...); strings.Contains(got, `"content"`) || !strings.Contains(got, `"error"`) {
			t.Errorf("bob brings ann's state back %s: %s, want an error", name, got)
		}
	}
	const tasks = `"extensions":{"io.modelcontextprotocol/tasks":{}},`
	var made mcpclient.TaskState
	text = ask("bob", "tools/call", "debug.sleep", tasks, `"name":"debug.sleep","arguments":{"ms":600000}`)
	if err := json.Unmarshal([]byte(text), &made); err != nil || made.Result.TaskID == "" {
		t.Fatalf("bob's call is no task: %s", text)
	}
	ask("bob", "tasks/update", made.Result.TaskID, tasks, `"taskId":"`+made.Result.TaskID+`",`+answer)
	if r := f.ann.Ask(t, "default", "consent.get", map[string]string{"consent_id": strings.TrimPrefix(key, "consent-")},
		"{}"); !strings.Contains(string(r.Body), `"status":"pending"`) {
		t.Errorf("ann's question is %s, want it open", r.Body)
	}
	if got := ask("ann", "tools/call", "ask_user", "",
		call+`,"requestState":"`+given.Result.State+`",`+strings.ReplaceAll(answer, "bob's", "ann's")); !strings.Contains(got, "ann's") {
		t.Errorf("ann's own answer = %s", got)
	}
	ask("bob", "tasks/cancel", made.Result.TaskID, tasks, `"taskId":"`+made.Result.TaskID+`"`)
}
