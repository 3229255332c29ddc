package faults

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/x/failpoint"
)

// quickly makes programs wait as data after a moment.
const quickly = "HELVE_DURABLE_HOT=50ms"

// program returns a call whose code makes so many effects, one after the other, and waits as
// data after half of them. It returns how many of them it saw end well, and of how many nobody
// knows.
func (w *world) program(id string, steps int) *call {
	code := fmt.Sprintf(`let good = 0, unknown = 0;
for (let i = 0; i < %d; i++) {
  try { await tools.debug.effect({key: "k" + i}); good++; }
  catch (e) { if (e.error_type !== "outcome_unknown") throw e; unknown++; }
  if (i === %d) await program.sleep("300ms");
}
return {good, unknown};`, steps, steps/2)
	return w.call(defaultTenant, id, "run_program", map[string]any{"code": code})
}

// acted checks that each step of a program has acted once, or not at all where nobody knows.
func (w *world) acted(c *call, e element, steps int) (unknown int) {
	w.t.Helper()
	var sum struct{ Good, Unknown int }
	if err := json.Unmarshal(e.Result, &sum); err != nil || sum.Good+sum.Unknown != steps {
		w.t.Errorf("the program ended in %s (%s) with %s", e.outcome(), e.Message, e.Result)
	}
	lines, acted := w.ledger(defaultTenant), 0
	for n := 1; n <= steps; n++ {
		of := lines[fmt.Sprintf("%s~%d", c.ID, n)]
		if of > 1 {
			w.t.Errorf("step %d acted %d times", n, of)
		}
		acted += of
	}
	if acted < sum.Good {
		w.t.Errorf("%d steps acted, %d ended well", acted, sum.Good)
	}
	return sum.Unknown
}

// TestProgramFails strikes the dispatcher that has the session of a program, or wakes it, at
// every boundary. The program ends as without that: each step once.
func TestProgramFails(t *testing.T) {
	for _, point := range []string{
		failpoint.ProgramBegun, failpoint.ProgramBeforeStep, failpoint.ProgramAfterStep, failpoint.ProgramBeforeEntry,
		failpoint.ProgramAfterEntry, failpoint.ProgramParked, failpoint.ProgramWoken, failpoint.ProgramRequeued,
	} {
		for _, action := range actions {
			t.Run(strings.Join([]string{point, action}, "/"), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.worker()
				victim := w.dispatcher(quickly, failing("%s=%s@1", point, action))
				c := w.program("p1", 6)
				victim.send(time.Minute, c)
				victim.struck(point, action)
				d := victim
				if action != "error" {
					d = w.dispatcher(quickly)
				}
				got := d.settle(t, c)
				if action == "stop" {
					victim.signal(syscall.SIGCONT)
				}
				if n := w.acted(c, got, 6); n > 0 {
					t.Errorf("nobody knows of %d steps, and no worker was struck", n)
				}
				w.settled(d)
			})
		}
	}
}

// TestProgramUnderKills kills workers and dispatchers at random while a program makes its steps:
// it ends, and no step acts twice.
func TestProgramUnderKills(t *testing.T) {
	t.Parallel()
	steps, rounds := 40, 6
	if atNight() {
		steps, rounds = 200, 40
	}
	w := newWorld(t)
	workers := []*process{w.worker(), w.worker()}
	doors := []door{w.dispatcher(quickly), w.dispatcher(quickly)}
	c := w.program("p1", steps)
	if a := doors[0].execute(0, c); a.status != 200 {
		t.Fatalf("not accepted: %+v", a)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range rounds {
		before := len(w.ledger(defaultTenant))
		await(t, "another step, or the end", func() bool {
			e, _ := doors[1].get(c)
			return e.ended() || len(w.ledger(defaultTenant)) > before
		})
		i := random.IntN(2)
		if random.IntN(2) == 0 {
			workers[i].kill()
			workers[i] = w.worker()
		} else {
			doors[i].kill()
			doors[i] = w.dispatcher(quickly)
		}
	}
	got := doors[0].settle(t, c)
	w.acted(c, got, steps)
	w.settled(doors[0])
}

// TestProgramsSurviveARestart kills everything while many programs wait, and starts other
// processes on the files.
func TestProgramsSurviveARestart(t *testing.T) {
	t.Parallel()
	many := 100
	if atNight() {
		many = 1000
	}
	addr, dir := queuetest.Addr(t), t.TempDir()
	server := natsd(t, addr, dir)
	w := worldAt(t, "nats://"+addr)
	w.worker()
	limits := "HELVE_DURABLE_MAX_WAITING=2000"
	d := w.dispatcher(quickly, limits)
	calls := make([]*call, many)
	var sent sync.WaitGroup
	for i := range calls {
		calls[i] = w.call(defaultTenant, fmt.Sprintf("p%d", i), "run_program", map[string]any{
			"code": fmt.Sprintf(`await program.sleep("5s"); await tools.debug.effect({key: "k%d"}); return %[1]d;`, i),
		})
		sent.Go(func() { d.execute(0, calls[i]) })
	}
	sent.Wait()
	waited := map[*call]bool{} // on a busy machine the first have ended before the last wait
	await(t, "each of them has come to wait", func() bool {
		for _, c := range calls {
			if e, _ := d.get(c); e.State == "waiting" || e.ended() {
				waited[c] = true
			}
		}
		return len(waited) == len(calls)
	})
	for _, p := range append(w.all, server) {
		p.kill()
	}
	natsd(t, addr, dir)
	w.worker()
	d = w.dispatcher(quickly, limits)
	for i, c := range calls {
		if e := d.settle(t, c); e.outcome() != "success" || string(e.Result) != fmt.Sprint(i) {
			t.Errorf("program %d ended in %s (%s) with %s", i, e.outcome(), e.Message, e.Result)
		}
	}
	lines := w.ledger(defaultTenant)
	for _, c := range calls {
		if lines[c.ID+"~1"] != 1 {
			t.Errorf("the step of %s acted %d times", c.ID, lines[c.ID+"~1"])
		}
	}
	w.settled(d)
}

// TestProgramsAfterAnOutage kills everything while programs sleep, ask, and wait for consent to a step.
// Times pass meanwhile, and verdicts are given before there is a worker: each program ends as without
// that, with one effect for each step.
func TestProgramsAfterAnOutage(t *testing.T) {
	t.Parallel()
	addr, dir := queuetest.Addr(t), t.TempDir()
	server := natsd(t, addr, dir)
	w := worldAt(t, "nats://"+addr)
	w.worker()
	d := w.dispatcher(quickly)
	var calls, asked []*call
	for i := range 5 {
		for kind, first := range map[string]string{
			"asleep": `await program.sleep("2s");`, "asks": `if (!await program.ask("Go on?", {type: "boolean"})) throw new Error("no");`,
			"guarded": `await tools.debug.guarded({key: "g"});`,
		} {
			c := w.call(defaultTenant, fmt.Sprintf("%s%d", kind, i), "run_program", map[string]any{
				"code": first + ` await tools.debug.effect({key: "k"}); return 1;`,
			})
			calls = append(calls, c)
			if kind != "asleep" {
				asked = append(asked, c)
			}
			if a := d.asPerson(0, c); a.status != http.StatusOK {
				t.Fatalf("%s is answered %+v", c.ID, a)
			}
		}
	}
	w.waiting(d, calls...)
	for _, p := range append(w.all, server) {
		p.kill()
	}
	before := len(w.personalLedger()) // on a busy machine the first sleeps were over
	last(2 * time.Second)             // all sleeps are over
	natsd(t, addr, dir)
	d = w.dispatcher(quickly)
	for _, c := range asked {
		var p shownProgram
		await(t, c.ID+" asks", func() bool { p = d.show(c.ID); return len(p.Waiting) == 1 && p.Waiting[0].ConsentID != "" })
		say := d.answer
		if strings.HasPrefix(c.ID, "guarded") {
			say = func(id string) int { return d.decide(id, "grant") }
		}
		await(t, "a verdict for "+c.ID, func() bool { return say(p.Waiting[0].ConsentID) == http.StatusOK })
	}
	if n := len(w.personalLedger()); n > before {
		t.Errorf("%d steps acted without a worker", n-before)
	}
	w.worker()
	for _, c := range calls {
		if e := d.ended(c); e.outcome() != "success" {
			t.Errorf("%s ended in %s (%s)", c.ID, e.outcome(), e.Message)
		}
	}
	lines := w.personalLedger()
	for id, n := range lines {
		if n != 1 {
			t.Errorf("%s acted %d times", id, n)
		}
	}
	if want := len(calls) + 5; len(lines) != want { // the guarded steps act, too
		t.Errorf("%d steps acted, want %d", len(lines), want)
	}
	w.settled(d)
}
