package console

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/test/e2e/browser"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/tool"
)

type hostileArgs struct {
	Text string         `json:"text,omitempty" doc:"Any text."`
	Code string         `json:"code,omitempty" doc:"Any code."`
	Path string         `json:"path,omitempty" doc:"Any path."`
	More map[string]any `json:"more,omitempty" doc:"Anything."`
	Fail bool           `json:"fail,omitempty" doc:"Whether to fail."`
}

// hostileTools has a tool that says hostile texts wherever a tool can say something.
func hostileTools() *tool.Set {
	set := tool.NewSet("Hostile", "hostile")
	tool.Add(set, tool.Spec[hostileArgs, any]{
		Name: "hostile_talk", Description: "Say " + strings.Join(browser.Hostile, " ") + ".",
		Risk: tool.Medium, Mutates: true, Timeout: time.Minute, Errors: []tool.Kind{tool.ExecutionError},
		Run: func(_ context.Context, call *tool.Call, args hostileArgs) (any, error) {
			said := map[string]any{}
			for i, text := range browser.Hostile {
				call.Progress(map[string]string{text: text})
				call.Log(text)
				call.Partial(text)
				call.Note("%s", text)
				said[fmt.Sprint(i, text)] = []string{text, text + "\n" + text}
			}
			if args.Fail {
				return nil, tool.Fail(tool.ExecutionError, "%s", strings.Join(browser.Hostile, " "))
			}
			return said, nil
		},
	})
	return set
}

// TestHostile: whatever a model or a tool says, on every page it is shown as text.
func TestHostileCalls(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{})
	s.AddOwnWorker(t, hostileTools(), nil)
	c := openOn(t, s.URLs[0], "default", "/")
	d, trace := s.HTTP(0), system.NewTrace()
	more := map[string]any{}
	for _, text := range browser.Hostile {
		more[text] = []any{text, map[string]any{text: text}}
	}
	all := strings.Join(browser.Hostile, "\n")
	talk := func(fail bool) system.Element {
		args, err := json.Marshal(hostileArgs{Text: all, Code: all, Path: browser.Hostile[0] + ".png", More: more, Fail: fail})
		if err != nil {
			t.Fatal(err)
		}
		body := fmt.Sprintf(
			`{"trace_id": %q, "context": {"user": "u1", "conversation": "c1"}, "calls": [{"tool": "hostile_talk", "arguments": %s}]}`, trace, args,
		)
		return system.Execute(t, d, "default", body).Results[0]
	}
	shown := func(path, want string) {
		t.Helper()
		c.Visit(path)
		c.Reveals(want)
	}
	for _, fail := range []bool{false, true} {
		e := talk(fail)
		if e.State != "awaiting_consent" {
			t.Fatalf("the call is %v, want a call that waits", e)
		}
		shown("/", `<img src=x onerror=`)
		shown("/consents/"+e.ConsentID, `<img src=x onerror=`)
		shown("/calls/"+e.CallID, `<img src=x onerror=`)
		comment, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		if r := system.Decide(t, d, "default", e.ConsentID,
			`{"decision": "grant", "by": "u1", "comment": `+string(comment)+`}`); r.Status != 200 {
			t.Fatalf("grant = %d %s", r.Status, r.Body)
		}
		shown("/consents/"+e.ConsentID, `Granted by`)
		want := `"<script>window.__owned=1</script>"`
		if fail {
			want = "execution_error"
		}
		shown("/calls/"+e.CallID, want)
		c.Sees(`<a href="javascript:window.__owned=1">click</a>`)
		c.Click("text=Run again")
		c.Until(`document.querySelector('dialog textarea').value.includes('__owned')`)
		c.Unharmed()
	}
	shown("/calls", "hostile_talk")
	shown("/traces/"+trace, "hostile_talk")
	// What a link says.
	c.Visit("/calls?q=" + url.QueryEscape(all[:200]))
	c.Reveals("No call fits these filters.")
	for _, path := range []string{"/login?error=", "/login?next=", "/?whose=all&user=", "/calls?state=", "/calls?user="} {
		c.Visit(path + url.QueryEscape(all))
		c.Unharmed()
	}
	for _, path := range []string{"/calls/", "/traces/", "/consents/"} {
		c.Visit(path + url.PathEscape(browser.Hostile[0]+" "+browser.Hostile[3]+browser.Hostile[len(browser.Hostile)-1]))
		c.Unharmed()
	}
}

// TestDeceptive: characters that cannot be seen, or look like others, are marked, and a
// text cannot pass for the structure around it.
func TestDeceptive(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	text := "pay\u202epal \u0000 zero\u200bwidth p\u0430ypal.com \\u0041 \"quoted\"\nsecond line"
	literal, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	consent, call := park(t, tenant, `{"tool": "contract_long", "arguments": {"text": `+string(literal)+`}}`)
	c := open(t, tenant, "/consents/"+consent)
	// So it is in each value that the page shows: the arguments, and later the result.
	marked := func(values int) string {
		return fmt.Sprintf(`document.querySelectorAll('.json').length === %d && [...document.querySelectorAll('.json')].every((j) =>
			[...j.querySelectorAll('.mark')].map((m) => m.classList[1] + ' ' + m.title.slice(0, 6)).join() === 'direction U+202E,control U+0000,invisible U+200B,lookalike U+0430')`, values)
	}
	c.Until(marked(1))
	c.Until(`document.querySelector('.json .string.lines').innerText.includes('\\\\u0041 \\"quoted\\"\nsecond line')`)
	c.Sees("contains invisible, control or stacked characters")
	c.Click("text=Allow once")
	if got := ended(t, tenant, call); got != "success" {
		t.Errorf("the call ended in %s", got)
	}
	echo := system.Execute(t, shared.HTTP(0), tenant, system.AsUser(30000, system.EchoCall(string(literal)))).Results[0]
	c.Visit("/calls/" + echo.CallID)
	c.Until(marked(2))
}
