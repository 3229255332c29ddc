package console

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/browser"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/protocol"
)

// start begins a program of u1 in a trace, and does not wait for it.
func start(t *testing.T, tenant, trace, id, code string) {
	t.Helper()
	text, err := json.Marshal(code)
	if err != nil {
		t.Fatal(err)
	}
	e := system.Execute(t, shared.HTTP(0), tenant, fmt.Sprintf(`{
		"trace_id": %q, "context": {"user": "u1", "conversation": "c1"}, "wait_ms": 0,
		"calls": [{"call_id": %q, "tool": "run_program", "arguments": {"code": %s, "input": {"animal": "quokka"}}}]
	}`, trace, id, text)).Results[0]
	if e.Status == protocol.StatusError {
		t.Fatalf("the program %s ended %v", id, e)
	}
}

// programIn waits until a program is in a state, with so many steps.
func programIn(t *testing.T, tenant, id, state string, steps int) (p protocol.ProgramDetail) {
	t.Helper()
	system.Eventually(t, id+" is "+state, func() bool {
		r := shared.HTTP(0).Ask(t, tenant, "programs.get", map[string]string{"call_id": id}, "")
		if r.Status != 200 {
			return false
		}
		p = system.Decode[protocol.ProgramDetail](t, r)
		return p.State == state && len(p.Steps) >= steps
	})
	return p
}

// waitingCode waits for a person and a time in its last lines, and has a part.
const waitingCode = `const n = await tools.debug.echo({value: 41});
program.log('got ' + n);
await program.step('mail', async () => {
  await Promise.all([tools.debug.echo({value: 1}), tools.debug.echo({value: 2})]);
});
program.sleep('1h');
const [ok] = await Promise.all([
  program.ask('Go on?', {type: 'boolean'}),
  tools.debug.guarded({key: 'k1'}),
]);
return ok ? n + 1 : 0;`

// marked is the expression of the marked lines of the source.
const marked = `[...document.querySelectorAll('.programs-source .marked')].map((l) => l.value).join()`

// striped is the expression of the number of waits among the steps.
const striped = `document.querySelectorAll('.programs-steps .calls-bar.waits').length`

// within is the expression of whether a part of the page says a text.
func within(selector, text string) string {
	return fmt.Sprintf(`document.querySelector(%q)?.innerText.includes(%q) === true`, selector, text)
}

// TestProgramPage: a program that waits is in the list, and its page has its source with the lines
// that it waits in, its steps, and the ways to end its waits; it follows the program to its end.
func TestProgramPage(t *testing.T) {
	t.Parallel()
	tenant, trace := system.NewTenant(), system.NewTrace()
	start(t, tenant, trace, "remind", waitingCode)
	programIn(t, tenant, "remind", protocol.StateWaiting, 5)

	c := open(t, tenant, "/programs")
	c.Until(shown + ` === 'remind' && document.querySelector('.row').innerText.includes('waits for')`)
	c.Until(`document.querySelector('nav a[href="/programs"] .nav-count .number')?.innerText === '1'`)
	c.TabTo(row("remind") + ` .row-link`)
	c.Press("Enter")
	c.Until(`location.pathname === '/programs/remind' && ` + marked + ` === '6,8,9'`)
	c.Until(`document.querySelector('.programs-source .marked').innerText.includes('waits here')`)
	c.Until(`[...document.querySelectorAll('.programs-steps tbody tr')].length === 7`)
	c.Until(within(".programs-steps", "mail (2)") + ` && ` + striped + ` === 3`)
	c.Until(within(".programs-log", "got 41") + ` && ` + within("main", "quokka"))
	c.Click(`.programs-part`)
	c.Until(`[...document.querySelectorAll('.programs-steps tbody tr')].length === 5`)
	for _, scheme := range []string{"light", "dark"} {
		c.Scheme(scheme)
		c.Axe()
		c.Size(360, 740)
		c.Fits()
		c.Axe()
		c.Size(1280, 900)
	}
	c.Size(2000, 1100)
	edge := func(of, side string) string {
		return `document.querySelector('` + of + `').getBoundingClientRect().` + side
	}
	c.Until(edge(".programs-source", "right") + ` <= ` + edge(".programs-steps", "left"))
	c.Size(1280, 900)

	c.Click("text=Decide about the step")
	c.Until(`location.pathname.startsWith('/consents/') && document.querySelector('a[href="/programs/remind"]') !== null`)
	c.Sees("line 9")
	c.Click("text=Allow once")
	c.Sees("Granted by you")
	c.Visit("/programs/remind")
	c.Click("text=Answer the question")
	c.Until(`location.pathname.startsWith('/consents/') && document.querySelector('[name=answer]') !== null`)
	c.Click(`[name=answer]`)
	c.Visit("/programs/remind")
	c.Until(`document.querySelectorAll('#waits + ul li').length > 0`)
	p := programIn(t, tenant, "remind", protocol.StateWaiting, 5)
	for _, w := range p.WaitingFor {
		if w.Kind == protocol.WaitAnswer {
			system.Decide(t, shared.HTTP(0), tenant, w.ConsentID, `{"decision": "grant", "by": "u1", "answer": {"answer": true}}`)
		}
	}
	c.Until(within("h1", "Success") + ` && ` + within("section[aria-labelledby=outcome]", "42"))
	c.Until(marked + ` === '' && ` + striped + ` === 2`)
	c.Click(`.programs-steps a[href="/calls/remind~1"]`)
	c.Until(`location.pathname === '/calls/remind~1' && document.querySelector('dl a[href="/programs/remind"]') !== null`)
	c.Visit("/calls/remind")
	c.Click("text=See the source and the steps of this program")
	c.Until(`location.pathname === '/programs/remind'`)
}

// TestProgramEnds: a program that failed shows where, and a running program is cancelled on its page.
func TestProgramEnds(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	start(t, tenant, system.NewTrace(), "fails", "await tools.debug.echo({value: 1});\n\nthrow new Error('no more quokkas');")
	programIn(t, tenant, "fails", protocol.StateDone, 1)
	start(t, tenant, system.NewTrace(), "runs", "await tools.debug.echo({value: 1});\nawait tools.debug.sleep({ms: 600000});")
	c := open(t, tenant, "/programs/fails")
	c.Until(within("h1", "Failed") + ` && ` + within(".calls-error", "no more quokkas"))
	c.Until(marked + ` === '3' && document.querySelector('.programs-source .marked').innerText.includes('failed here')`)
	c.Click(`.detail .head button`) // its own error would end it again
	c.confirm("Go on")
	c.Sees("run a corrected program")
	c.Axe()
	c.Visit("/programs?status=pending")
	c.Until(shown + ` === 'runs'`)
	c.Click(row("runs") + ` .row-link`)
	c.Until(marked + ` === '2' && document.querySelector('.programs-steps').innerText.includes('debug.sleep')`)
	c.Click(`.detail .head button`)
	c.Axe()
	c.confirm("Cancel the program")
	c.Until(within("h1", "Failed") + ` && ` + within(".calls-error", "cancelled"))
	c.Until(`document.querySelector('.programs-steps').innerText.includes('Cancelled') && ` + marked + ` === ''`)
	if got := ended(t, tenant, "runs"); got != "error cancelled" {
		t.Errorf("the program ended in %s", got)
	}
	c.Click(`.detail .head button`)
	c.confirm("Go on")
	c.Until(`location.pathname.startsWith('/programs/r-') && document.querySelector('.programs-steps')?.innerText.includes('debug.sleep')`)
	c.Click(`.detail .head button`)
	c.confirm("Cancel the program")
	c.Until(within("h1", "Failed"))
	c.Visit("/programs/runs")
	c.Until(`[...document.querySelectorAll('.detail a')].some((a) => a.pathname.startsWith('/programs/r-'))`)
	c.Visit("/programs/none")
	c.Until(`document.querySelector('.detail .failure') !== null`)
}

// TestHostileProgram: code that wants to deceive its reader cannot: what turns text around is
// marked, blank lines are folded, a long line is cut, and no text is more than a text.
func TestHostileProgram(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	all := strings.Join(browser.Hostile, " ")
	name, _ := json.Marshal(browser.Hostile[len(browser.Hostile)-1])
	quoted, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	fmt.Fprintf(&code, "// %s\nprogram.log(%s);\n", strings.NewReplacer("\n", " ", "\u0000", "", "\u0007", "").Replace(all), quoted)
	code.WriteString(strings.Repeat("   \n", 10_000))
	fmt.Fprintf(&code, "await program.step(%s, () => tools.debug.echo({value: 1}));\n", name)
	fmt.Fprintf(&code, "const long = '%s'; await program.sleep('1h');\n", strings.Repeat("x", 100_000))
	code.WriteString(strings.Repeat("void 0;\n", 3000))
	start(t, tenant, system.NewTrace(), "hostile", code.String())
	programIn(t, tenant, "hostile", protocol.StateWaiting, 1)
	c := open(t, tenant, "/programs/hostile")
	c.Until(marked + ` === '10004'`)
	c.Sees("10,000 blank lines")
	c.Until(`document.querySelector('.programs-source .marked').innerText.includes("program.sleep('1h')")`)
	c.Until(`document.querySelectorAll('.programs-source li').length < 500 && document.querySelectorAll('.programs-source *').length < 10000`)
	for _, part := range []string{".programs-source .mark.direction", ".programs-log .mark.direction", ".programs-steps .mark.direction"} {
		c.Until(`document.querySelector('` + part + `') !== null`)
	}
	c.Unharmed()
	c.Size(360, 740)
	c.Fits()
	c.Click(`.programs-fold button`)
	c.Until(`document.querySelectorAll('.programs-source li').length < 1100`)
	c.Sees("9,500 blank lines")
	c.Reveals("onerror")
}

// TestLongProgram: of a program with many steps those near the screen are in the document.
func TestLongProgram(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	start(t, tenant, system.NewTrace(), "long", `for (let i = 0; i < 600; i++) await Promise.all([1, 2].map((value) => tools.debug.echo({value})));
await program.sleep('1h');`)
	programIn(t, tenant, "long", protocol.StateWaiting, 1200)
	c := open(t, tenant, "/programs/long")
	c.Sees("1,200 steps")
	const few = `document.querySelectorAll('.programs-steps tbody tr').length < 120`
	c.Until(`document.querySelector('.programs-steps table').ariaRowCount === '1202' && ` + few)
	c.Eval(`scrollTo({top: document.querySelector('.programs-steps').getBoundingClientRect().bottom + scrollY, behavior: 'instant'})`)
	c.Until(within(".programs-steps tbody", "Sleeps") + ` && ` + few)
}

// TestTraceOfProgram: the trace of a program is one tree, with its parts, its sleeps and the steps
// of programs in it, also when their results have expired.
func TestTraceOfProgram(t *testing.T) {
	t.Parallel()
	tenant, trace := system.NewTenant(), system.NewTrace()
	start(t, tenant, trace, "outer", `await tools.debug.echo({value: 1});
await program.step('inside', () => tools.run_program({code: 'return await tools.debug.echo({value: 2})'}));
await program.sleep('1h');`)
	programIn(t, tenant, "outer", protocol.StateWaiting, 2)
	listed := func(params map[string]string) (ids string) {
		t.Helper()
		for _, c := range system.Decode[protocol.CallList](t, shared.HTTP(0).Ask(t, tenant, "calls.list", params, "")).Calls {
			ids += c.CallID + " " + c.State + ";"
		}
		return ids
	}
	// The list of a trace has the steps, that of all calls has not.
	system.Eventually(t, "the trace has the steps", func() bool {
		return listed(map[string]string{"trace_id": trace}) == "outer~2~1 done;outer~2 done;outer~1 done;outer waiting;"
	})
	if got := listed(nil); got != "outer waiting;" {
		t.Errorf("all calls are %s", got)
	}
	purge(t, "HELVE_RESULTS", "helve.v1."+tenant+".result.>")
	c := open(t, tenant, "/traces/"+trace)
	names := `[...document.querySelectorAll('.calls-fall .calls-name')].map((n) => n.innerText + ' ' + parseInt(n.style.paddingLeft)).join()`
	c.Until(names + ` === 'run_program 0,debug.echo 1,inside 1,run_program 2,debug.echo 3,Sleeps 1'`)
	c.Until(`[...document.querySelectorAll('.calls-fall li')].filter((l) => l.innerText.includes('Success')).length === 3`)
	c.Axe()
	c.Size(360, 740)
	c.Fits()
	c.Size(1280, 900)
	c.Click(`.calls-fall a[href="/programs/outer~2"]`)
	c.Until(`location.pathname === '/programs/outer~2' && document.querySelector('dl a[href="/programs/outer"]') !== null`)
	c.Visit("/calls/outer~1")
	c.Until(`document.querySelector('h1').innerText.includes('Success')`)
}
