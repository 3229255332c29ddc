package people

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/e2e/system/mcpclient"
)

const askUser = `{"call_id": "q1", "tool": "ask_user", "arguments": {"question": "Which account?", "schema": {"type": "object",
	"properties": {"account": {"type": "string", "enum": ["private", "work"]}, "days": {"type": "integer", "default": 3}}, "required": ["account"]}}}`

// TestQuestion: the answer of the person is the result of the call; an invalid answer
// leaves the question open.
func TestQuestion(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		tenant := system.NewTenant()
		e := system.Park(t, d, tenant, askUser)
		if waiting := system.Consents(t, d, tenant, "pending"); len(waiting) != 1 || waiting[0].ConsentID != e.ConsentID ||
			waiting[0].Tool != "ask_user" {
			t.Errorf("the inbox holds %+v, want the question", waiting)
		}
		for body, want := range map[string]string{
			`{"decision": "grant"}`:                                                      "answer is missing",
			`{"decision": "grant", "answer": {"account": "other"}}`:                      "must be one of: private, work",
			`{"decision": "grant", "answer": {"days": 1}}`:                               "missing required parameter 'account'",
			`{"decision": "grant", "answer": {"account": "work", "zebra": 1}}`:           "nothing was asked about zebra",
			`{"decision": "grant", "answer": [1]}`:                                       "expected object",
			`{"decision": "grant", "remember": "always", "answer": {"account": "work"}}`: "not remembered",
			`{"decision": "deny", "never_ask": true}`:                                    "not remembered",
			`{"decision": "deny", "answer": {"account": "work"}}`:                        "goes with a grant",
		} {
			if r := system.Decide(t, d, tenant, e.ConsentID, body); r.Status != 400 || !strings.Contains(string(r.Body), want) {
				t.Errorf("%s = %d %s, want 400 with %q", body, r.Status, r.Body, want)
			}
		}
		if got := system.ByID(t, d, "calls.get", tenant, "q1"); got.State != "awaiting_consent" {
			t.Errorf("after answers that do not fit the call is %v", got)
		}
		if r := system.Decide(t, d, tenant, e.ConsentID, `{"decision": "grant", "answer": {"account": "Work"}}`); r.Status != 200 {
			t.Fatalf("the answer = %d %s", r.Status, r.Body)
		}
		system.WantResult(t, system.Settled(t, d, tenant, "q1"), `{"account":"work","days":3}`)
		if got, want := system.Phases(system.CallRecords(t, d, tenant, "q1")), []string{
			"consent_requested", "consent_decided", "finished",
		}; !slices.Equal(got, want) {
			t.Errorf("the audit trail has %q, want %q", got, want)
		}
	})
}

// TestQuestionRefused: a person need not answer, and an answer is not consent to a call.
func TestQuestionRefused(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	e := system.Park(t, d, tenant, askUser)
	if r := system.Decide(t, d, tenant, e.ConsentID, `{"decision": "deny", "comment": "not now"}`); r.Status != 200 {
		t.Fatalf("deny = %d %s", r.Status, r.Body)
	}
	system.WantError(t, system.Settled(t, d, tenant, "q1"), "permission_denied", "does not want to answer this question: not now")

	other := system.Park(t, d, tenant, `{"call_id": "g1", "tool": "debug.guarded", "arguments": {"key": "k"}}`)
	if r := system.Decide(t, d, tenant, other.ConsentID, `{"decision": "grant", "answer": {"a": 1}}`); r.Status != 400 ||
		!strings.Contains(string(r.Body), "leave answer out") {
		t.Errorf("an answer to a call that needs a yes = %d %s, want 400", r.Status, r.Body)
	}
}

// TestQuestionExpires: the question expires, or there is no person to ask.
func TestQuestionExpires(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.Consent.TTL = 3 * time.Second }})
	tenant, d := system.NewTenant(), s.HTTP(0)
	e := system.Park(t, d, tenant, askUser)
	system.WantError(t, system.Settled(t, d, tenant, "q1"), "consent_expired", "")
	if r := system.Decide(t, d, tenant, e.ConsentID, `{"decision": "grant", "answer": {"account": "work"}}`); r.Status != 409 ||
		!strings.Contains(string(r.Body), "expired") {
		t.Errorf("an answer after the expiry = %d %s, want 409 that says so", r.Status, r.Body)
	}
	system.WantError(t, system.Execute(t, d, tenant, `{"calls": [`+strings.Replace(askUser, "q1", "q2", 1)+`]}`).Results[0],
		"confirmation_required", "name the user")
	if waiting := system.Consents(t, d, tenant, "pending"); len(waiting) != 0 {
		t.Errorf("%+v wait, want nothing", waiting)
	}
}

// TestQuestionOnTheCommandLine answers with `helve consent grant --answer`.
func TestQuestionOnTheCommandLine(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	command := func(args ...string) (int, string) {
		code, out, said := system.Command(t, strings.NewReader(""),
			append(args, "--server", shared.URLs[0], "--tenant", tenant, "--user", "u1")...)
		return code, out + said
	}
	for id, answer := range map[string][]string{
		"f1": {"--answer", "account=work", "--answer", "days=7"}, "f2": {"--answer", `{"account":"work","days":7}`},
	} {
		e := system.Park(t, d, tenant, strings.Replace(askUser, "q1", id, 1))
		if code, text := command("consent", "show", e.ConsentID); code != 0 || !strings.Contains(text, "Which account?") ||
			!strings.Contains(text, "private|work") {
			t.Errorf("show = %d %s, want the question and what answers it", code, text)
		}
		if code, text := command("consent", "grant", e.ConsentID); code == 0 || !strings.Contains(text, "answer is missing") {
			t.Errorf("grant without an answer = %d %s, want it refused", code, text)
		}
		if code, text := command("consent", "grant", e.ConsentID, "--answer", "account=other"); code == 0 ||
			!strings.Contains(text, "private, work") {
			t.Errorf("grant with a wrong answer = %d %s, want the choices", code, text)
		}
		if code, text := command(append([]string{"consent", "grant", e.ConsentID}, answer...)...); code != 0 ||
			!strings.Contains(text, "granted") {
			t.Errorf("grant %q = %d %s", answer, code, text)
		}
		system.WantResult(t, system.Settled(t, d, tenant, id), `{"account":"work","days":7}`)
	}
}

// TestQuestionOverMCP: the client shows the question as a form with its own schema.
func TestQuestionOverMCP(t *testing.T) {
	t.Parallel()
	var call struct{ Arguments map[string]any }
	if err := json.Unmarshal([]byte(askUser), &call); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		p    *mcpclient.Person
		want string
		asks int32
	}{
		"answered": {
			&mcpclient.Person{Action: "accept", Content: map[string]any{"account": "work", "days": 7}}, `{"account":"work","days":7}`, 1,
		},
		"refused": {&mcpclient.Person{Action: "decline"}, "does not want to answer", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := mcpclient.Connect(t, shared, mcpclient.Versions[0], mcpclient.AsUser1(system.NewTenant()), tt.p.Options())
			_, text := mcpclient.Call(t, c, "ask_user", call.Arguments)
			form, _ := json.Marshal(tt.p.Asked.Load().RequestedSchema)
			if !strings.Contains(text, tt.want) || tt.p.Times.Load() != tt.asks {
				t.Errorf("asked %d times the call ended as %s, want %s", tt.p.Times.Load(), text, tt.want)
			}
			if q := tt.p.Asked.Load(); q.Mode != "form" || q.Message != "Which account?" || !strings.Contains(string(form), `"private"`) {
				t.Errorf("the person was asked %+v with the form %s", q, form)
			}
		})
	}
}
