package gate_test

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/engine/gate"
	"github.com/helve-dev/helve/internal/identity/token"
	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/internal/policy"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

const trace = "0123456789abcdef0123456789abcdef"

// world is the surroundings of the gate on a worker: the real policy, keys and pipeline,
// with maps in place of storage on NATS.
type world struct {
	t      *testing.T
	engine *engine.Engine
	signer *token.Signer

	grants  map[consent.Subject]protocol.Grant
	spent   map[string]string // token to call
	parked  []consent.Ask
	ran     int
	decided map[string]int
	files   []tool.Scopes // the scopes that the ports received

	findErr, spendErr, parkErr error

	// missing is the account that every tool lacks.
	missing *tool.AccountMissing
	// workspace holds the files that the tool "write" replaces.
	workspace tooltest.Files
}

type args struct {
	Path   string `json:"path" doc:"A path."`
	Secret string `json:"secret,omitempty" doc:"A secret." secret:"true"`
	URL    string `json:"url,omitempty" doc:"An address."`
}

// holding returns a world with a tool of each risk, named after it, and the tools that
// change makes.
func holding(t *testing.T, rules ...string) *world {
	t.Helper()
	w := &world{t: t, grants: map[consent.Subject]protocol.Grant{}, spent: map[string]string{}, decided: map[string]int{}}
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	w.signer = token.NewSigner(private)
	keys := &token.Keyring{}
	if err := keys.Put(w.signer.KeyID(), public); err != nil {
		t.Fatal(err)
	}
	rulebook, err := policy.New(policy.Options{Rules: rules, TTL: 10 * time.Minute, HighTTL: 2 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	g := &gate.Gate{
		Policy: rulebook, Keys: keys, Grants: w, Spend: w.spend, Park: w.park, TTL: time.Hour,
		Decided: func(outcome, _ string) { w.decided[outcome]++ },
	}
	w.engine = engine.New(engine.Deps{
		Catalog: w.tools(),
		Access:  open{},
		Policy:  g,
		Connect: g.Connect,
		Ledger:  open{},
		Ports:   w,
		Record:  open{},
	})
	return w
}

type catalog map[string]*engine.Entry

func (c catalog) Lookup(_, _, name string) (*engine.Entry, error) {
	if e := c[name]; e != nil {
		return e, nil
	}
	return nil, tool.Fail(tool.ToolNotFound, "no such tool")
}

func (w *world) tools() catalog {
	w.t.Helper()
	set := tool.NewSet("Test", "test")
	add := func(name string, risk tool.Risk, mutates bool, change func(*tool.Spec[args, string])) {
		spec := tool.Spec[args, string]{
			Name: name, Description: "Does " + name + ".", Risk: risk, Mutates: mutates, Idempotent: true, Timeout: time.Second,
			Needs:  tool.NeedFiles,
			Scopes: tool.Scopes{Paths: []string{"workspace"}},
			Run: func(context.Context, *tool.Call, args) (string, error) {
				w.ran++
				return "done", nil
			},
			Check: func(context.Context, *tool.Call, args) error {
				if w.missing != nil {
					return tool.Fail(tool.NotConfigured, "connect it").Because(w.missing)
				}
				return nil
			},
		}
		if change != nil {
			change(&spec)
		}
		tool.Add(set, spec)
	}
	add("low", tool.Low, true, nil)
	add("look", tool.Medium, false, nil)
	add("medium", tool.Medium, true, nil)
	add("high", tool.High, true, nil)
	add("several", tool.Low, false, func(s *tool.Spec[args, string]) { s.Needs = tool.NeedTools })
	add("boundless", tool.High, true, func(s *tool.Spec[args, string]) { s.Scopes = tool.Scopes{} })
	add("fetch", tool.Medium, true, func(s *tool.Spec[args, string]) {
		s.Needs, s.OpenWorld, s.Scopes = tool.NeedHTTP, true, tool.Scopes{Hosts: []string{"*"}}
	})
	add("operation", tool.Medium, true, func(s *tool.Spec[args, string]) {
		s.Needs, s.OpenWorld, s.Scopes = tool.NeedHTTP, true, tool.Scopes{Hosts: []string{"api.example"}}
	})
	add("locate", tool.Low, false, func(s *tool.Spec[args, string]) { s.RequiredPermissions = []string{"location"} })
	add("both", tool.Medium, true, func(s *tool.Spec[args, string]) { s.RequiredPermissions = []string{"location"} })
	add("approved", tool.Medium, true, func(s *tool.Spec[args, string]) { s.ApproverOnly = true })
	add("adopted", tool.Low, true, nil)
	add("write", tool.Medium, true, func(s *tool.Spec[args, string]) {
		s.Changes = func(_ context.Context, _ *tool.Call, a args) ([]tool.Change, error) {
			if a.URL == "" {
				return tool.Replaces(a.Path), nil
			}
			return []tool.Change{{Path: a.Path, New: []byte(a.URL), Appends: a.Secret != ""}}, nil
		}
	})
	add("adopted_medium", tool.Medium, true, nil)
	c := catalog{}
	for _, tl := range set.Tools() {
		if strings.HasPrefix(tl.Name, "adopted") {
			tl.Adoption = &tool.Adoption{Permission: "custom_tool.x.ct_1.3", Reason: "ann made it"}
		}
		if tl.Name == "operation" {
			tl.Kind = tool.KindOpenAPI
		}
		s, err := schema.Compile(tl.Parameters)
		if err != nil {
			w.t.Fatal(err)
		}
		c[tl.Name] = &engine.Entry{Tool: tl, Schema: s}
	}
	return c
}

// open implements the steps of the pipeline other than the gate and accepts everything.
type open struct{}

func (open) Allow(context.Context, *engine.Job) error   { return nil }
func (open) Earlier(context.Context, *engine.Job) error { return nil }
func (open) Begin(context.Context, *engine.Job) error   { return nil }
func (open) Record(*engine.Job, *engine.Outcome)        {}

func (w *world) Fill(j *engine.Job, _ tool.Needs) error {
	w.files, j.Files = j.Within, w.workspace
	return nil
}

func (w *world) Find(_ context.Context, _, _, _ string, s consent.Subject) (consent.Standing, *protocol.Grant, error) {
	g, ok := w.grants[s]
	switch {
	case w.findErr != nil:
		return consent.Unknown, nil, w.findErr
	case !ok:
		return consent.Unknown, nil, nil
	case g.Deny:
		return consent.Never, &g, nil
	}
	return consent.Allowed, &g, nil
}

func (w *world) spend(_ context.Context, _, id, callID string) (bool, error) {
	if w.spendErr != nil {
		return false, w.spendErr
	}
	if by, ok := w.spent[id]; ok {
		return by == callID, nil
	}
	w.spent[id] = callID
	return true, nil
}

func (w *world) park(_ context.Context, _ *engine.Job, a consent.Ask) error {
	if w.parkErr == nil {
		w.parked = append(w.parked, a)
	}
	return w.parkErr
}

// job returns a call of u1.
func job(name, arguments string) *engine.Job {
	j := &engine.Job{Name: name, Args: json.RawMessage(arguments)}
	j.ID, j.TraceID, j.Tenant, j.User, j.Conversation = "call-1", trace, "acme", "u1", "c1"
	return j
}

// mint makes a token that covers job, modified by change.
func (w *world) mint(change func(*token.Claims)) string {
	w.t.Helper()
	c := token.Claims{
		ID: "t1", Tenant: "acme", User: "u1", TraceID: trace, Tools: []string{"low", "medium", "high", "locate", "both"},
		Scopes: &tool.Scopes{Paths: []string{"notes"}}, IssuedAt: time.Now(), Expires: time.Now().Add(time.Minute), By: "boss",
	}
	if change != nil {
		change(&c)
	}
	text, err := w.signer.Mint(c)
	if err != nil {
		w.t.Fatal(err)
	}
	return text
}

func (w *world) run(j *engine.Job) engine.Outcome {
	w.t.Helper()
	return w.engine.Execute(w.t.Context(), j)
}

// want checks the outcome of a job: "" if it ran, "parked" if it was parked.
func want(t *testing.T, out engine.Outcome, kind string) {
	t.Helper()
	got := ""
	switch {
	case errors.Is(out.Control, engine.ErrParked):
		got = "parked"
	case errors.Is(out.Control, engine.ErrRetry):
		got = "retry"
	case out.Err != nil:
		got = string(out.Err.Kind)
	}
	if got != kind {
		t.Errorf("the job ended %q (%v, %v), want %q", got, out.Err, out.Control, kind)
	}
}
