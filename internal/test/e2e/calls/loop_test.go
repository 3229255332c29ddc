package calls

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/client/chat"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/modeltest"
)

func loopWith(t *testing.T, format string, m *modeltest.Server, tenant string) *client.Loop {
	t.Helper()
	model, err := chat.New(chat.Options{Provider: format, Model: "m", BaseURL: m.Base(), Key: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(shared.URLs[0], client.WithTenant(tenant), client.WithContext(client.Context{User: "u1"}), client.WithRetry())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return &client.Loop{Client: c, Model: model, Tools: client.Filter{Group: "diagnostics"}}
}

// TestLoopOfEveryProvider: twelve rounds of calls, some parallel, one failing, and then
// an answer, streamed in each provider's format.
func TestLoopOfEveryProvider(t *testing.T) {
	t.Parallel()
	for _, format := range modeltest.Formats() {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			var lines []modeltest.Turn
			for i := range 12 {
				calls := []modeltest.ToolCall{modeltest.Call("debug_echo", fmt.Sprintf(`{"value":"round %d"}`, i))}
				switch i {
				case 3:
					calls = append(calls, modeltest.Call("debug_echo", `{"value":"beside"}`), modeltest.Call("debug_sleep", `{"ms":1}`))
				case 6:
					calls = append(calls, modeltest.Call("debug_fail", `{"how":"error","message":"no luck"}`), modeltest.Call("nope", `{}`))
				}
				lines = append(lines, modeltest.Calls(calls...))
			}
			m := modeltest.Serve(t, format, append(lines, modeltest.Says("All is done, \"ünd\" well."))...)
			l := loopWith(t, format, m, system.NewTenant())
			heard := ""
			l.Text = func(piece string) { heard += piece }
			got, err := l.Ask(system.Context(t), client.State{}, "Go.")
			if err != nil || got.Text != "All is done, \"ünd\" well." || heard != got.Text || len(m.Bodies()) != 13 {
				t.Fatalf("Ask = %q, %v, heard %q in %d requests", got.Text, err, heard, len(m.Bodies()))
			}
			for _, want := range []string{"round 0", "round 11", "beside", "slept_ms", "no luck", "tool_not_found"} {
				if !strings.Contains(m.Last(), want) {
					t.Errorf("the model was not told %q: %s", want, m.Last())
				}
			}
			if !strings.Contains(m.Last(), "debug_echo") || got.State.Tokens == 0 {
				t.Errorf("tokens %d, request %.300s, want the tools in it and the cost counted", got.State.Tokens, m.Last())
			}
		})
	}
}

func TestLoopWithoutEnd(t *testing.T) {
	t.Parallel()
	l := loopWith(t, "anthropic", modeltest.Serve(t, "anthropic", modeltest.Calls(modeltest.Call("debug_echo", `{"value":1}`))),
		system.NewTenant())
	l.Rounds = 5
	got, err := l.Ask(system.Context(t), client.State{}, "Go.")
	if !errors.Is(err, client.ErrLimit) || got.State.Rounds != 5 || got.State.Message != nil {
		t.Errorf("Ask = %+v, %v, want ErrLimit after 5 rounds, every call answered", got, err)
	}
}

// TestLoopOutlivesItsProcess: a loop whose process ends while a person decides continues
// from its saved state, on another dispatcher, and nothing happens twice.
func TestLoopOutlivesItsProcess(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	m := modeltest.Serve(t, "openai",
		modeltest.Calls(modeltest.Call("debug_effect", `{"key":"e"}`), modeltest.Call("debug_guarded", `{"key":"g"}`)), modeltest.Says("Done."))
	l := loopWith(t, "openai", m, tenant)
	var saved []byte
	l.Save = func(s client.State) (err error) { saved, err = json.Marshal(s); return err }
	got, err := l.Ask(system.Context(t), client.State{}, "Go.")
	if err != nil || len(got.Pending) != 2 || got.Pending[1].ConsentID == "" {
		t.Fatalf("Ask = %+v, %v, want a call that waits for a person", got, err)
	}
	system.Grant(t, shared.HTTP(0), tenant, got.Pending[1].ConsentID)
	var s client.State
	if err := json.Unmarshal(saved, &s); err != nil {
		t.Fatal(err)
	}
	again := loopWith(t, "openai", m, tenant)
	again.Consent = client.ConsentWait
	if got, err = again.Resume(system.Context(t), s); err != nil || got.Text != "Done." {
		t.Errorf("Resume = %+v, %v", got, err)
	}
	if lines := system.UserLedger(t, shared, tenant, "u1"); len(lines) != 2 {
		t.Errorf("the ledger has %q, want each effect once", lines)
	}
}

// TestLoopTellsOfPrograms: a model whose program waits for a person is told so and answers; it is
// told the result when the person has answered, by a loop of another process.
func TestLoopTellsOfPrograms(t *testing.T) {
	t.Parallel()
	for _, format := range modeltest.Formats() {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			tenant := system.NewTenant()
			program := modeltest.Call("run_program", `{"code":"return await program.ask('Go on?', {type: 'boolean'}) ? 'went on' : 'stopped'"}`)
			m := modeltest.Serve(t, format, modeltest.Calls(program), modeltest.Says("It waits for you."), modeltest.Says("It went on."))
			l := loopWith(t, format, m, tenant)
			l.Tools, l.Consent = client.Filter{Group: "programs"}, client.ConsentTell
			got, err := l.Ask(system.Context(t), client.State{}, "Go.")
			if err != nil || got.Text != "It waits for you." || len(got.Pending) != 1 || !got.Pending[0].AwaitsPerson() ||
				!strings.Contains(m.Last(), "waits for the answer of a person") {
				t.Fatalf("Ask = %+v, %v, the model was told %s", got, err, m.Last())
			}
			saved, err := json.Marshal(got.State)
			if err != nil {
				t.Fatal(err)
			}
			shared.HTTP(0).Ask(t, tenant, "consent.decide", map[string]string{"consent_id": got.Pending[0].WaitingFor[0].ConsentID},
				`{"decision": "grant", "context": {"user": "u1"}, "answer": {"answer": true}}`)
			again := loopWith(t, format, m, tenant)
			again.Consent = client.ConsentTell
			system.Eventually(t, "the model is told the result", func() bool {
				var s client.State
				if err := json.Unmarshal(saved, &s); err != nil {
					t.Fatal(err)
				}
				got, err = again.Resume(system.Context(t), s)
				return err != nil || len(got.Pending) == 0
			})
			if err != nil || got.Text != "It went on." || !strings.Contains(m.Last(), "went on") {
				t.Errorf("Resume = %+v, %v, the model was told %s", got, err, m.Last())
			}
		})
	}
}
