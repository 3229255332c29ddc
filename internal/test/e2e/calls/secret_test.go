package calls

import (
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestHeadersAreShownNowhere: they reach the receiver, and are in no answer, record, event,
// log or stored byte; neither is the path of the URL, except where the callback is stored.
func TestHeadersAreShownNowhere(t *testing.T) {
	t.Parallel()
	var data string
	s, r := launchReceiver(t, system.Plan{}, func(c *config.Config) { data = c.Data })
	r.answer("/canary-path", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	events := s.Listen(t, "acme")
	callback := fmt.Sprintf(`"callback": {"url": %q, "headers": {"Authorization": "Bearer canary-header", "x-other": "a b"}}`,
		r.URL+"/canary-path")
	e := system.Execute(t, s.HTTP(0), "acme",
		`{"context": {"user": "u1"}, `+callback+`, "calls": [{"call_id": "c1", "tool": "debug.guarded", "arguments": {"key": "k"}}]}`).Results[0]
	shown := fmt.Sprint(e)
	for _, operation := range []string{"calls.get", "calls.list", "consent.list", "audit.query"} {
		params := map[string]string{}
		if operation == "calls.get" {
			params["call_id"] = "c1"
		}
		shown += string(s.HTTP(0).Ask(t, "acme", operation, params, "").Body)
	}
	stored := contentsOf(t, filepath.Join(data, "nats"))
	system.Grant(t, s.HTTP(0), "acme", e.ConsentID)
	posts := r.await(t, "/canary-path", 2)
	for _, p := range posts {
		if p.header.Get("Authorization") != "Bearer canary-header" || p.header.Get("X-Other") != "a b" {
			t.Errorf("headers: %v", p.header)
		}
		shown += string(p.body)
	}
	shown += fmt.Sprint(events.Until("done", "c1")) + strings.Join(s.StoredRecords(t, "acme"), "\n") + s.Logs.String()
	if strings.Contains(shown, "canary") {
		at := strings.Index(shown, "canary")
		t.Errorf("shown: …%s", shown[max(0, at-200):at+50])
	}
	if !strings.Contains(stored, "canary-path") || strings.Contains(stored, "canary-header") {
		t.Errorf("stored while the call waits: the URL %v, a header %v; want the URL only",
			strings.Contains(stored, "canary-path"), strings.Contains(stored, "canary-header"))
	}
	if text := contentsOf(t, filepath.Join(data, "nats")); strings.Contains(text, "canary-header") {
		t.Error("a header is stored in the clear")
	}
}

// contentsOf returns the contents of all files below a directory.
func contentsOf(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			return nil // it was compacted meanwhile
		}
		all.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// TestDeletedPerson: with the data of a person the callbacks of the person's calls are gone.
func TestDeletedPerson(t *testing.T) {
	t.Parallel()
	s, r := launchReceiver(t, system.Plan{})
	e := system.Execute(t, s.HTTP(0), "acme", `{"context": {"user": "u1"}, `+r.to("/hook")+
		`, "calls": [{"call_id": "c1", "tool": "debug.guarded", "arguments": {"key": "k"}}]}`).Results[0]
	if got := s.HTTP(0).Ask(t, "acme", "data.delete", map[string]string{"user": "u1"}, ""); got.Status != 200 {
		t.Fatalf("data.delete = %d %s", got.Status, got.Body)
	}
	if stored := s.StoredMessages(t, "HELVE_CALLBACKS", "helve.v1.acme.>"); len(stored) != 0 {
		t.Errorf("stored: %v", stored)
	}
	system.Grant(t, s.HTTP(0), "acme", e.ConsentID)
	system.Execute(t, s.HTTP(0), "acme", `{`+r.to("/last")+`, "calls": [{"tool": "debug.echo", "arguments": {"value": 1}}]}`)
	r.await(t, "/last", 1)
	if n := len(r.at("/hook")); n != 0 {
		t.Errorf("%d callbacks for a person whose data is deleted", n)
	}
}
