package people

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/identity/vault"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// keyFile is the file of the master keys of a system.
type keyFile struct {
	t    *testing.T
	path string
}

// put replaces the file, and waits until each process would read it.
func (f keyFile) put(keys ...string) {
	f.t.Helper()
	if err := os.WriteFile(f.path+".next", []byte(strings.Join(keys, "\n")+"\n"), 0o600); err != nil {
		f.t.Fatal(err)
	}
	if err := os.Rename(f.path+".next", f.path); err != nil {
		f.t.Fatal(err)
	}
	written := time.Now()
	system.Eventually(f.t, "the file of keys is old enough to be read", func() bool { return time.Since(written) > 2*time.Second })
}

// TestMasterKey: a master key is replaced while calls go on, and none fails. With a lost or a
// wrong key calls end in not_configured, which names the key, nothing is set under it, and
// the right key mends all without a restart.
func TestMasterKey(t *testing.T) {
	t.Parallel()
	s, m := system.Launch(t, system.Plan{Workers: 2, Groups: []string{"vectorSearch"}}), newModel(t)
	d := s.HTTP(0)
	file := keyFile{t, s.Config.Secrets.KeyFile}
	first, err := os.ReadFile(file.path)
	if err != nil {
		t.Fatal(err)
	}
	old := strings.TrimSpace(string(first))
	next, err := vault.Generate()
	if err != nil {
		t.Fatal(err)
	}
	entry := map[string]string{"service": "openai", "label": "default"}
	set := func(body string) system.Reply { return d.Ask(t, "default", "services.set", entry, body) }
	if r := set(`{"fields": {"api_key": "canary-1", "base_url": "` + m.URL + `/v1"}}`); r.Status != 200 {
		t.Fatalf("services.set = %d %s", r.Status, r.Body)
	}
	body := system.CallAs("ann", strings.TrimSuffix(strings.Repeat(`{"tool": "create_embedding", "arguments": {"text": "x"}},`, 8), ","))
	calls := func() (failed system.Element) {
		for _, e := range system.Execute(t, d, "default", body).Results {
			if e.Status != "success" {
				failed = e
			}
		}
		return failed
	}
	works := func() bool { return calls().Status == "" }
	system.Eventually(t, "all workers have the account", works)

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	failed := make(chan system.Element, 1)
	go func() {
		defer close(failed)
		for ctx.Err() == nil {
			if e := calls(); e.Status != "" {
				failed <- e
				return
			}
		}
	}()
	pushKey := func() string { return string(want(t, d.Ask(t, "default", "push.key", nil, ""), 200, `"key":"B`).Body) }
	published := pushKey()
	file.put(old, next)
	file.put(next, old)
	id := keyID(t, d, entry)
	if r := d.Ask(t, "default", "services.rotate", nil, ""); r.Status != 200 || !strings.Contains(string(r.Body), `"rotated":2`) {
		t.Fatalf("services.rotate = %d %s", r.Status, r.Body)
	}
	system.Eventually(t, "the entry is under the new key", func() bool { return keyID(t, d, entry) != id })
	file.put(next)
	stop()
	for e := range failed {
		t.Errorf("while the key was replaced a call ended as %v", e)
	}
	if !works() {
		t.Errorf("after it: %v", calls())
	}
	system.Eventually(t, "only the new key is there", func() bool { return d.Ask(t, "default", "push.key", nil, "").Status == 200 })
	if got := pushKey(); got != published {
		t.Errorf("the key of web push was %s, and is %s", published, got)
	}

	// The old key is wrong now. What was decrypted before stays in memory until it changes.
	id = keyID(t, d, entry)
	file.put(old)
	if _, err := s.AddWorker(); err != nil {
		t.Fatal(err)
	}
	var e system.Element
	system.Eventually(t, "a worker without the key gets a call", func() bool {
		e = calls()
		return e.Status != ""
	})
	system.WantError(t, e, "not_configured", "by the master key "+id)
	if r := set(`{"merge": true, "fields": {"text_model": "x"}}`); r.Status/100 == 2 || strings.Contains(string(r.Body), "canary") {
		t.Errorf("a field of an entry that cannot be read was set: %d %s", r.Status, r.Body)
	}
	file.put(old, next)
	system.Eventually(t, "the right key mends it", works)
}

// keyID returns the master key that protects an entry.
func keyID(t *testing.T, d system.Door, entry map[string]string) string {
	t.Helper()
	got := system.Decode[struct {
		Entries []struct {
			KeyID string `json:"key_id"`
		} `json:"entries"`
	}](t, d.Ask(t, "default", "services.get", map[string]string{"service": entry["service"]}, ""))
	if len(got.Entries) != 1 || got.Entries[0].KeyID == "" {
		t.Fatalf("services.get = %+v", got)
	}
	return got.Entries[0].KeyID
}
