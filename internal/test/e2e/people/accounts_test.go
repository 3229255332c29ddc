package people

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/tool"
)

// TestCommandLine: an operator sets a key, which works on every worker without a restart.
func TestCommandLine(t *testing.T) {
	t.Parallel()
	s, m := system.Launch(t, system.Plan{Workers: 2, Groups: []string{"vectorSearch"}}), newModel(t)
	call := system.CallAs("ann", `{"tool": "create_embedding", "arguments": {"text": "x"}}`)
	e := system.Execute(t, s.HTTP(0), "default", call).Results[0]
	if e.ErrorType != "not_configured" || !strings.Contains(e.Message, "neither for ann nor for the tenant default") ||
		!strings.Contains(e.Message, "helve config set openai --stdin api_key") {
		t.Errorf("before: %v", e)
	}
	for _, step := range []struct {
		stdin, args string
		code        int
		want        string
	}{
		{
			"canary-tenant\n", "config set openai --stdin api_key base_url=" + m.URL + "/v1", 0,
			"is set for everybody of the tenant: api_key=(secret, set) base_url=" + m.URL,
		},
		{"", "config get openai", 0, "everybody  true    api_key=(secret, set)"},
		{"", "config test openai", 0, "accepted the request: 200 OK"},
		{"canary-ann\n", "config set openai --stdin api_key base_url=" + m.URL + "/v1 --user ann", 0, "is set for ann"},
		{"", "config set openai api_key=canary-argv --user cy", 0, "was on the command line"},
		{"", "config set openai api_kye=canary-argv", 1, "did you mean api_key?"},
		{"", "config set openai --stdin api_key", 2, "standard input is empty"},
		{"", "config set opnai base_url=x", 1, "did you mean openai?"},
		{"", "config list --json", 0, `"api_key":{"set":true}`},
		{"", "config services", 0, "exchange_rates"},
		{"", "config unset openai --user bob", 1, "there is no entry default of the service openai"},
		{"", "config rotate", 0, "0 entries are now under the key"},
	} {
		code, out := commandWith(t, s, strings.NewReader(step.stdin), nil, strings.Fields(step.args)...)
		if code != step.code || !strings.Contains(out, step.want) || strings.Contains(out, "canary") {
			t.Errorf("helve %s: %d %s, want %d %q", step.args, code, out, step.code, step.want)
		}
	}
	for user, want := range map[string]string{"ann": "Bearer canary-ann", "bob": "Bearer canary-tenant"} {
		system.Eventually(t, user+" uses "+want, func() bool {
			e := system.Execute(t, s.HTTP(0), "default", system.CallAs(user, `{"tool": "create_embedding", "arguments": {"text": "x"}}`)).Results[0]
			return e.Status == "success" && m.last() == want
		})
	}
	m.answer(http.StatusUnauthorized)
	if code, out := command(t, s, nil, "config", "test", "openai"); code != 1 || !strings.Contains(out, "refused the credentials: 401") {
		t.Errorf("test of a refused key = %d %s", code, out)
	}
	if code, _ := command(t, s, nil, "config", "unset", "openai", "--user", "ann"); code != 0 {
		t.Errorf("unset = %d", code)
	}
	m.answer(http.StatusOK)
	system.Eventually(t, "ann uses the tenant's", func() bool {
		system.Execute(t, s.HTTP(0), "default", call)
		return m.last() == "Bearer canary-tenant"
	})
}

// careless is a tool that fails with what it read, as far as an entry lets it.
func careless() *tool.Set {
	type args struct {
		How string `json:"how" doc:"How it fails."`
	}
	set := tool.NewSet("Careless", "careless")
	tool.Add(set, tool.Spec[args, string]{
		Name: "careless", Description: "Fail with an account.", Risk: tool.Low, Mutates: false, Timeout: time.Minute, Pool: "default",
		Needs:  tool.NeedSecrets,
		Errors: []tool.Kind{tool.ExecutionError, tool.NotConfigured},
		Run: func(ctx context.Context, call *tool.Call, a args) (string, error) {
			entries, err := call.Secrets.Entries(ctx, "openai")
			if err != nil {
				return "", err
			}
			call.Events.Emit("log", fmt.Sprintf("%v %+v %#v", entries, call.Secrets, call.Secrets))
			switch a.How {
			case "panic":
				panic(fmt.Sprintf("%+v %#v", entries, entries))
			case "error":
				return "", fmt.Errorf("with %+v and %#v", entries, call.Secrets)
			}
			return fmt.Sprint(entries), nil
		},
	})
	return set
}

// TestSecretsAreNowhere plants secrets, uses and misuses them, and looks for them in all
// that the system says and stores.
func TestSecretsAreNowhere(t *testing.T) {
	t.Parallel()
	s, m := system.Launch(t, system.Plan{Dispatchers: 2, Groups: []string{"vectorSearch"}}), newModel(t)
	s.AddOwnWorker(t, careless(), nil)
	d, n := s.HTTP(0), s.NATS()
	const canary = "cAnArY-5b1f"
	var said strings.Builder
	keep := func(r system.Reply) system.Reply {
		fmt.Fprintln(&said, r.Status, r.Header, string(r.Body))
		return r
	}
	entry := func(label string) map[string]string { return map[string]string{"service": "openai", "label": label} }
	for i, body := range []string{
		fmt.Sprintf(`{"fields": {"api_key": "%s-1", "base_url": "%s/v1"}}`, canary, m.URL),
		fmt.Sprintf(`{"fields": {"api_key": "%s-2", "base_url": "%s/v1"}, "user": "ann"}`, canary, m.URL),
	} {
		for _, door := range []system.Door{d, n} {
			if r := keep(door.Ask(t, "default", "services.set", entry("default"), body)); r.Status != 200 ||
				!strings.Contains(string(r.Body), `"api_key":{"set":true}`) {
				t.Fatalf("services.set %d = %d %s", i, r.Status, r.Body)
			}
		}
	}
	for _, body := range []string{
		`{"fields": {"api_key": ["` + canary + `"]}}`, `{"fields": {"api_key": "` + canary + `", "base_url": "` + canary + `"}}`,
		`{"fields": {"api_key": "` + canary + `\r\nx: y"}}`, `{"fields": {"api_kye": "` + canary + `"}}`, `{"fields": "` + canary + `"}`,
		`{"fields": {"api_key": "` + canary + strings.Repeat("x", 1<<20) + `"}}`,
		`{"fields": {"base_url": "http://127.0.0.1:1/thief", "api_key": {"set": true}}}`,
	} {
		for _, door := range []system.Door{d, n} {
			if r := keep(door.Ask(t, "default", "services.set", entry("default"), body)); r.Status/100 != 4 {
				t.Errorf("services.set %.60s = %d %s", body, r.Status, r.Body)
			}
		}
	}
	for _, body := range []string{
		`{"fields": {"api_key": "` + canary + `"`, `{"fields": {"api_key": "` + canary + `", "api_key": "` + canary + `"}}`, canary,
		`"` + canary + `"`,
	} {
		if r := keep(d.Ask(t, "default", "services.set", entry("default"), body)); r.Status != 400 {
			t.Errorf("services.set %.60s = %d %s", body, r.Status, r.Body)
		}
	}
	for _, how := range []string{"well", "error", "panic"} {
		for _, user := range []string{"ann", "bob"} {
			body := system.CallAs(user, `{"tool": "careless", "arguments": {"how": "`+how+`"}}`)
			keep(d.Ask(t, "default", "execute", nil, body))
		}
	}
	for _, status := range []int{200, 302, 400, 401, 429, 500} {
		m.answer(status)
		for _, user := range []string{"ann", "bob"} {
			keep(d.Ask(t, "default", "execute", nil, system.CallAs(user, `{"tool": "create_embedding", "arguments": {"text": "x"}}`)))
			keep(d.Ask(t, "default", "services.test", map[string]string{"service": "openai", "label": "default", "user": user}, ""))
		}
	}
	if !strings.Contains(fmt.Sprint(m.keys), canary) {
		t.Fatal("the service never received a key: the test shows nothing")
	}
	for _, operation := range []string{"services.list", "audit.query", "audit.export", "system.check", "calls.list", "workers.list"} {
		keep(d.Ask(t, "default", operation, nil, ""))
	}
	keep(d.Ask(t, "default", "data.export", map[string]string{"user": "ann"}, ""))
	keep(d.Ask(t, "default", "services.rotate", nil, ""))
	if r := keep(d.Ask(t, "default", "audit.query", map[string]string{"phase": "service_changed"},
		"")); strings.Count(string(r.Body), `"tool":"services.set"`) != 4 {
		t.Errorf("changes on the trail: %s", r.Body)
	}
	keep(d.Send(t, "GET", "/metrics", "", nil))
	for what, text := range map[string]string{"an answer": said.String(), "the log": s.Logs.String()} {
		if at := strings.Index(text, canary); at >= 0 {
			t.Errorf("%s contains the secret: %.400s", what, text[max(0, at-200):])
		}
	}
	if stream := holding(t, s, canary); stream != "" {
		t.Errorf("the secret is in %s", stream)
	}
	if file := fileWith(t, s.Config.Data, canary); file != "" {
		t.Errorf("the secret is in the file %s", file)
	}
}

// holding returns the first stream with a message that contains text.
func holding(t *testing.T, s *system.System, text string) string {
	t.Helper()
	js, err := jetstream.New(s.Conn)
	if err != nil {
		t.Fatal(err)
	}
	names := js.StreamNames(system.Context(t))
	for name := range names.Name() {
		info := s.Stream(t, name).CachedInfo()
		for seq := info.State.FirstSeq; seq <= info.State.LastSeq; seq++ {
			msg, err := s.Stream(t, name).GetMsg(system.Context(t), seq)
			if err == nil && strings.Contains(fmt.Sprint(msg.Subject, msg.Header, string(msg.Data)), text) {
				return name + " " + msg.Subject
			}
		}
	}
	if err := names.Err(); err != nil {
		t.Fatal(err)
	}
	return ""
}

// fileWith returns the first file below dir that contains text.
func fileWith(t *testing.T, dir, text string) (found string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			data, err := os.ReadFile(path)
			if err == nil && strings.Contains(string(data), text) {
				found = path
			}
		}
		return nil // a file that is gone holds nothing
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestPersonalAccounts: the accounts of a person are in the export, without secrets, and
// go with the person.
func TestPersonalAccounts(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{})
	d := s.HTTP(0)
	for user, label := range map[string]string{"ann": "default", "bob": "default", "": "default"} {
		body, err := json.Marshal(map[string]any{"fields": map[string]string{"api_key": "canary-" + user}, "user": user})
		if err != nil {
			t.Fatal(err)
		}
		if r := d.Ask(t, "default", "services.set", map[string]string{"service": "coding-codex", "label": label}, string(body)); r.Status != 200 {
			t.Fatalf("services.set = %d %s", r.Status, r.Body)
		}
	}
	export := d.Ask(t, "default", "data.export", map[string]string{"user": "ann"}, "")
	if text := string(export.Body); !strings.Contains(text, `"collection":"services"`) || !strings.Contains(text, `"api_key":{"set":true}`) ||
		strings.Contains(text, "canary") || strings.Contains(text, "bob") {
		t.Errorf("the export = %s", text)
	}
	body, err := json.Marshal(map[string]any{"user": "dora", "data": string(export.Body)})
	if err != nil {
		t.Fatal(err)
	}
	if r := d.Ask(t, "default", "data.import", nil, string(body)); r.Status != 200 || !strings.Contains(string(r.Body), `"added":0`) {
		t.Errorf("data.import = %d %s", r.Status, r.Body)
	}
	if r := d.Ask(t, "default", "data.delete", map[string]string{"user": "ann"}, ""); r.Status != 200 ||
		!strings.Contains(string(r.Body), `"services":1`) {
		t.Errorf("data.delete = %d %s", r.Status, r.Body)
	}
	r := d.Ask(t, "default", "services.list", nil, "")
	if text := string(r.Body); strings.Contains(text, `"user":"ann"`) || !strings.Contains(text, `"user":"bob"`) {
		t.Errorf("after it services.list = %s", text)
	}
}
