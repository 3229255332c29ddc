package people

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/protocol"
)

// decideFirst decides about the consent that a program waits for.
func decideFirst(t *testing.T, d system.Door, id, remember string) (consentID string) {
	t.Helper()
	untilWaitingFor(t, d, id, protocol.WaitConsent)
	p := untilWaiting(t, d, id)
	consentID = p.WaitingFor[0].ConsentID
	r := d.Ask(t, "default", "consent.decide", map[string]string{"consent_id": consentID}, `{"decision": "grant", "remember": "`+remember+`"}`)
	if r.Status != 200 {
		t.Fatalf("the decision about %s is answered %d %s", id, r.Status, r.Body)
	}
	return consentID
}

func grantsOf(t *testing.T, d system.Door) []protocol.Grant {
	t.Helper()
	return system.Decode[protocol.GrantList](t, d.Ask(t, "default", "grants.list", map[string]string{"user": "ann"}, "")).Grants
}

// TestProgramIsRemembered: a yes for the rest of a program covers the tool in this program and in
// those that it runs, no other program and nothing after its end, and can be revoked.
func TestProgramIsRemembered(t *testing.T) {
	t.Parallel()
	doors := peopleWith(t, identity.Entry{User: "ann", Roles: []string{"user"}}, identity.Entry{User: "root", Roles: []string{"admin"}})
	ann := doors["ann"]
	const deletes = "const gone = async path => { await tools.write_file({path, content: 'x'}); await tools.delete_file({path}); };\n"
	runProgram(t, ann, "p", deletes+"await gone('a'); await gone('b');\n"+
		"await tools.run_program({code: \"await tools.write_file({path: 'c', content: 'x'}); await tools.delete_file({path: 'c'});\"});\n"+
		"await program.ask('Go on?'); await gone('d'); return 'done';")
	id := decideFirst(t, ann, "p", "program")
	untilWaitingFor(t, ann, "p", protocol.WaitAnswer)
	list := grantsOf(t, ann)
	if len(list) != 1 || list[0].Program != "p" || list[0].Tool != "delete_file" || list[0].ConsentID != id {
		t.Fatalf("the grants are %+v", list)
	}
	runProgram(t, ann, "q", deletes+"await gone('e');") // another program is asked
	decideFirst(t, ann, "q", "once")
	system.Settled(t, ann, "default", "q")

	if r := ann.Ask(t, "default", "grants.revoke", map[string]string{"grant_id": list[0].ID}, ""); r.Status != 200 {
		t.Fatalf("the grant is revoked with %d %s", r.Status, r.Body)
	}
	p := untilWaiting(t, ann, "p")
	ann.Ask(t, "default", "consent.decide", map[string]string{"consent_id": p.WaitingFor[0].ConsentID},
		`{"decision": "grant", "answer": {"answer": "yes"}}`)
	decideFirst(t, ann, "p", "program") // of d: the first yes was taken back
	system.WantResult(t, system.Settled(t, ann, "default", "p"), `"done"`)
	system.Eventually(t, "the grant is gone with its program", func() bool { return len(grantsOf(t, ann)) == 0 })
	trail := string(doors["root"].Ask(t, "default", "audit.query", map[string]string{"phase": "grant_changed"}, "").Body)
	if strings.Count(trail, "remembered for the rest of program p") != 2 || !strings.Contains(trail, "revoked for the rest of program p") {
		t.Errorf("the trail has %s", trail)
	}
}

// TestTokenOfProgram: a token for a program covers the steps of that run, also of high risk, and no
// other call; it can be minted for a program of one's own that has not ended.
func TestTokenOfProgram(t *testing.T) {
	t.Parallel()
	doors := peopleWith(t, identity.Entry{User: "ann", Roles: []string{"user"}}, identity.Entry{User: "bob", Roles: []string{"user"}})
	ann := doors["ann"]
	const code = "await program.ask('Go on?'); for (const path of ['a', 'b']) { await tools.write_file({path, content: 'x'}); await tools.delete_file({path}); }\n" +
		"await tools.run_program({code: \"await tools.write_file({path: 'c', content: 'x'}); await tools.delete_file({path: 'c'});\"});\nreturn 'done'"
	runProgram(t, ann, "p", code)
	untilWaitingFor(t, ann, "p", protocol.WaitAnswer)
	mint := func(d system.Door, more string) system.Reply {
		return d.Ask(t, "default", "tokens.mint", nil, `{"program": "p", "tools": ["delete_file"], "reusable": true`+more+`}`)
	}
	system.WantProblem(t, "another person", mint(doors["bob"], ""), 404, client.NotFound)
	system.WantProblem(t, "another trace", mint(ann, `, "trace_id": "00000000000000000000000000000001"`), 400, client.BadRequest)
	r := mint(ann, "")
	if r.Status != 200 {
		t.Fatalf("the token is answered %d %s", r.Status, r.Body)
	}
	answer := func(id string) {
		p := untilWaiting(t, ann, id)
		ann.Ask(t, "default", "consent.decide", map[string]string{"consent_id": p.WaitingFor[0].ConsentID}, `{"decision": "grant", "answer": {"answer": "yes"}}`)
	}
	trace := untilWaiting(t, ann, "p").TraceID
	writeAs(t, ann, "f", "x")
	direct := system.Execute(t, ann, "default", `{"context": {"user": "ann"}, "trace_id": "`+trace+`", "calls": [{"tool": "delete_file", "arguments": {"path": "f"},
		"confirm_token": "`+system.Decode[protocol.MintedToken](t, r).Token+`"}]}`).Results[0]
	system.WantError(t, direct, "permission_denied", "for the steps of program p")
	answer("p")
	system.WantResult(t, system.Settled(t, ann, "default", "p"), `"done"`)
	system.WantProblem(t, "an ended program", mint(ann, ""), 404, client.NotFound)

	runProgram(t, ann, "q", code) // another program, in which the token is not
	untilWaitingFor(t, ann, "q", protocol.WaitAnswer)
	answer("q")
	untilWaitingFor(t, ann, "q", protocol.WaitConsent)
}

// TestProgramIsNotRemembered: what is no step of a program is not remembered for one.
func TestProgramIsNotRemembered(t *testing.T) {
	t.Parallel()
	ann := annWith(t, nil)
	writeAs(t, ann, "a", "x")
	system.Execute(t, ann, "default", `{"context": {"user": "ann"}, "wait_ms": 0, "calls": [{"call_id": "c", "tool": "delete_file", "arguments": {"path": "a"}}]}`)
	stepIs(t, ann, "c", protocol.StateAwaitingConsent)
	got := system.Decode[protocol.Result](t, ann.Ask(t, "default", "calls.get", map[string]string{"call_id": "c"}, ""))
	r := ann.Ask(t, "default", "consent.decide", map[string]string{"consent_id": got.ConsentID}, `{"decision": "grant", "remember": "program"}`)
	system.WantProblem(t, "no step", r, 400, client.BadRequest)
}
