package people

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/identity/vault"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/e2e/system/mcpclient"
)

// keptElement is a call whose result has expired.
type keptElement struct {
	system.Element

	Arguments map[string]any
	Kept      *struct {
		By      string
		Until   *time.Time
		LeftOut int64 `json:"left_out"`
	}
}

// expired waits until the result of a call has expired, and returns the call as far as it is
// kept then, from the source named of.
func expired(t *testing.T, d system.Door, tenant, callID, of string) (e keptElement) {
	t.Helper()
	system.Eventually(t, "the result of "+callID+" has expired", func() bool {
		return d.Ask(t, tenant, "calls.get", map[string]string{"call_id": callID}, "").Status == 404
	})
	system.Eventually(t, callID+" is read from "+of, func() bool {
		r := d.Ask(t, tenant, "calls.get", map[string]string{"call_id": callID, "include": "arguments,result"}, "")
		if r.Status != 200 {
			return false
		}
		e = system.Decode[keptElement](t, r)
		return e.Kept != nil && e.Kept.By == of
	})
	return e
}

// briefly makes results expire after seconds.
func briefly(c *config.Config) { c.Streams.ResultsMaxAge = 2 * time.Second }

// TestKeptCall: after its result has expired a call is read with its outcome, worker, arguments
// without secrets and result, by those who could see it before; nothing of it can be read in the
// stream, and it goes with the data of its person.
func TestKeptCall(t *testing.T) {
	t.Parallel()
	keyFile := filepath.Join(t.TempDir(), "secrets.key")
	if err := vault.Create(keyFile); err != nil {
		t.Fatal(err)
	}
	file, keys := system.KeysFile(t,
		identity.Entry{User: "ann", Roles: []string{"user"}}, identity.Entry{User: "bob", Roles: []string{"user"}},
		identity.Entry{User: "eve", Roles: []string{"auditor"}}, identity.Entry{User: "root", Roles: []string{"admin"}})
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) {
		briefly(c)
		c.Auth.KeysFile, c.Secrets.KeyFile = file, keyFile
	}})
	var doors []system.Door
	for _, key := range keys {
		doors = append(doors, system.HTTPDoor{Client: mcpclient.Web(t, s, map[string]string{"Authorization": "Bearer " + key}), URL: s.URLs[0]})
	}
	ann, bob, eve, root := doors[0], doors[1], doors[2], doors[3]
	failed := system.One(t, ann, "default", `{"tool": "debug.fail", "arguments": {"how": "error", "message": "quokka broke"}}`)
	worked := system.One(t, ann, "default",
		`{"call_id": "own-id", "tool": "debug.echo", "arguments": {"value": {"api_key": "sk-abcdefghijklmnopqrstuvwx", "animal": "quokka"}}}`)

	e := expired(t, ann, "default", failed.CallID, "history")
	if e.Status != "error" || e.ErrorType != failed.ErrorType || e.Message != failed.Message || e.Worker == "" || e.Worker != failed.Worker ||
		e.State != "done" || e.Arguments["message"] != "quokka broke" || time.Until(*e.Kept.Until) < 29*24*time.Hour {
		t.Errorf("the failed call is %+v of %+v, want %+v", e, e.Kept, failed)
	}
	e = expired(t, ann, "default", worked.CallID, "history")
	value, _ := e.Arguments["value"].(map[string]any)
	if e.Status != "success" || string(e.Result) != string(worked.Result) || value["animal"] != "quokka" ||
		strings.Contains(value["api_key"].(string), "sk-") || time.Until(*e.Kept.Until) > 24*time.Hour {
		t.Errorf("the call that worked is %+v of %+v, want %+v", e, e.Kept, worked)
	}
	include := map[string]string{"call_id": failed.CallID, "include": "arguments,result"}
	if r := bob.Ask(t, "default", "calls.get", include, ""); r.Status != 404 {
		t.Errorf("another person is answered %d %s", r.Status, r.Body)
	}
	if r := eve.Ask(t, "default", "calls.get", include, ""); r.Status != 200 || !strings.Contains(string(r.Body), "quokka broke") {
		t.Errorf("an auditor is answered %d %s", r.Status, r.Body)
	}
	looks := string(root.Ask(t, "default", "audit.query", map[string]string{"phase": "call_viewed", "call_id": failed.CallID}, "").Body)
	if !strings.Contains(looks, `"by":"eve"`) {
		t.Errorf("the look of the auditor is not on the trail: %s", looks)
	}
	if stored := s.StoredMessages(t, "HELVE_KEPT", "helve.v1.default.kept.ann"); len(stored) == 0 || strings.Contains(strings.Join(stored, ""), "quokka") {
		t.Errorf("%d blocks are stored, and can be read", len(stored))
	}

	done := system.Decode[struct {
		KeptCalls int `json:"kept_calls"`
	}](t, root.Ask(t, "default", "data.delete", map[string]string{"user": "ann"}, ""))
	if done.KeptCalls != 2 {
		t.Errorf("%d kept calls were deleted, want 2", done.KeptCalls)
	}
	e = expired(t, ann, "default", failed.CallID, "record")
	if e.Status != "error" || e.ErrorType != failed.ErrorType || e.Worker != failed.Worker || e.Message == "" || e.Arguments != nil ||
		strings.Contains(e.Message, "quokka") {
		t.Errorf("the record of the failed call is %+v", e)
	}
	if stored := s.StoredMessages(t, "HELVE_KEPT", "helve.v1.default.kept.ann"); len(stored) > 0 {
		t.Errorf("%d blocks are left of the person", len(stored))
	}
}

// TestKeptNot: a tool and a tenant can be left out, and a call with an id of its own that is kept
// nowhere is not ended a second time.
func TestKeptNot(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) {
		briefly(c)
		c.Dispatcher.QueueTTL = time.Second
		c.History.Keep.Tools = []string{"debug.echo=never"}
		c.History.Keep.Tenants = []string{"beta=errors:never successes:never tools.debug.echo:1h"}
	}})
	d := s.HTTP(0)
	const echo = `{"tool": "debug.echo", "arguments": {"value": 1}}`
	const fail = `{"call_id": "f1", "tool": "debug.fail", "arguments": {"how": "error", "message": "so"}}`
	for _, tt := range []struct{ tenant, call, from string }{
		{"acme", echo, "record"}, {"acme", fail, "history"}, {"beta", echo, "history"}, {"beta", fail, "record"},
	} {
		e := system.One(t, d, tt.tenant, tt.call)
		got := expired(t, d, tt.tenant, e.CallID, tt.from)
		if got.Status != e.Status || got.ErrorType != e.ErrorType || (got.Arguments != nil) != (tt.from == "history") {
			t.Errorf("%s of %s is %+v, want %+v", tt.call, tt.tenant, got, e)
		}
		r := d.Ask(t, "other", "calls.get", map[string]string{"call_id": e.CallID, "include": "arguments,result"}, "")
		if r.Status != 404 {
			t.Errorf("%s of %s is answered to another tenant: %d %s", tt.call, tt.tenant, r.Status, r.Body)
		}
	}
	for _, tenant := range []string{"acme", "beta"} {
		if phases := system.Phases(system.CallRecords(t, d, tenant, "f1")); len(phases) != 1 {
			t.Errorf("the failed call of %s has the records %q", tenant, phases)
		}
	}
	if r := d.Ask(t, "acme", "calls.get", map[string]string{"call_id": "f1", "include": "result,result"}, ""); r.Status != 400 {
		t.Errorf("an unknown include = %d %s", r.Status, r.Body)
	}
}
