package js_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/js/durabletest"
	"github.com/helve-dev/helve/tool"
)

// A program that is given the same events does the same: the requests are the same to the byte
// if the answers are split as before, and the same in sum however they are split.
func TestReplayIsTheSameRun(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		code := durabletest.Races(seed)
		live := &durabletest.Parent{Run: durabletest.Outcome, Seed: seed + 1}
		want, err := play(t, live, code, "null")
		if err != nil {
			t.Fatalf("%s\n%v", code, err)
		}
		for _, batch := range []int{1, 3, 0} {
			again := &durabletest.Parent{Run: durabletest.Outcome, Journal: slices.Clone(live.Journal), Batch: batch, Seed: 99}
			got, err := play(t, again, code, "null")
			if err != nil || got != want {
				t.Fatalf("batches of %d:\n%s\n= %s, %v, want %s", batch, code, got, err, want)
			}
			if batch == 1 && !slices.EqualFunc(again.Requests, live.Requests, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
				t.Fatalf("%s\nrequests\n%s\nwant\n%s", code, again.Requests, live.Requests)
			}
			if a, b := fmt.Sprint(again.Steps, again.Sleeps, again.Logs), fmt.Sprint(live.Steps, live.Sleeps, live.Logs); a != b {
				t.Fatalf("batches of %d:\n%s\ndid %s\nwant %s", batch, code, a, b)
			}
		}
		// A part of the journal, and then another order than before: what was done is kept.
		part := &durabletest.Parent{Run: durabletest.Outcome, Journal: slices.Clone(live.Journal[:len(live.Journal)/2]), Seed: seed + 7}
		if _, err := play(t, part, code, "null"); err != nil {
			t.Fatalf("%s\n%v", code, err)
		}
	}
}

// Another program has other random numbers, and the same one the same.
func TestRandomnessIsThatOfTheProgram(t *testing.T) {
	t.Parallel()
	p, err := js.CompileDurable("program", "return [Math.random(), crypto.randomUUID(), [...crypto.getRandomValues(new Uint32Array(2))]]", false)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, id := range []string{"a", "b", "a", "b"} {
		got, err := runs(t, &durabletest.Parent{}, &js.Task{Program: p, Args: []byte("null"), Durable: &js.Durable{ID: id}})
		if err != nil || seen[id] != "" && seen[id] != got {
			t.Errorf("%s = %s, %v, before %s", id, got, err, seen[id])
		}
		seen[id] = got
	}
	if seen["a"] == seen["b"] {
		t.Errorf("both programs have %s", seen["a"])
	}
}

// Outcomes reach the code in the order of the events, whatever awaits them.
func TestOrderOfEvents(t *testing.T) {
	t.Parallel()
	journal := []js.Event{{Step: 3, Value: json.RawMessage("3")}, {Step: 1, Error: &js.StepError{Type: "timeout", Message: "one"}}, {Step: 2, Value: json.RawMessage("2")}}
	for code, want := range map[string]string{
		`return Promise.race(calls)`: `3`,
		`return Promise.any(calls)`:  `3`,
		`return (await Promise.allSettled(calls)).map(o => o.value || o.reason.error_type)`: `["timeout",2,3]`,
		`try { await Promise.all(calls) } catch (e) { return e.message }`:                   `"one"`,
		`await Promise.allSettled(calls); return seen`:                                      `[3,"one",2]`,
	} {
		parent := &durabletest.Parent{Journal: slices.Clone(journal)}
		got, err := play(t, parent, `const calls = [tools.a(), tools.b(), tools.c()]; const seen = []
			for (const c of calls) c.then(v => seen.push(v), e => seen.push(e.message)); `+code, "null")
		if err != nil || got != want {
			t.Errorf("%s = %s, %v, want %s", code, got, err, want)
		}
	}
}

func TestManySteps(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		`let n = 0; for (let i = 0; i < 2000; i++) n += (await tools.x({i})).i; return n`,
		`return (await Promise.all(Array.from({length: 2000}, (_, i) => tools.x({i})))).reduce((n, o) => n + o.i, 0)`,
	} {
		if parent := gives(t, code, "1999000"); len(parent.Steps) != 2000 || len(parent.Journal) != 2000 {
			t.Errorf("%d steps, %d events", len(parent.Steps), len(parent.Journal))
		}
	}
	refuses(t, &durabletest.Parent{}, `for (;;) await tools.x()`, tool.RateLimited, "at most 2000 calls")
	refuses(t, &durabletest.Parent{}, `for (;;) tools.x()`, tool.RateLimited, "at most 2000 calls")
	refuses(t, &durabletest.Parent{}, `for (;;) program.sleep(1)`, tool.RateLimited, "at most 2000 times")
	refuses(t, &durabletest.Parent{}, `for (;;) tools.x({a: "x".repeat(1e6)})`, tool.ValidationError, "hold more than 4 MB")
}

// The replay of a program whose calls are large fits into frames as its first run did.
func TestLargeReplay(t *testing.T) {
	t.Parallel()
	const code = `for (let i = 0; i < 30; i++) await tools.x({a: "x".repeat(1e6)}); return 1`
	small := func(s js.Step) (json.RawMessage, *js.StepError) { return json.RawMessage("null"), nil }
	live := &durabletest.Parent{Run: small}
	if _, err := play(t, live, code, "null"); err != nil {
		t.Fatal(err)
	}
	again := &durabletest.Parent{Run: small, Journal: slices.Clone(live.Journal)}
	if _, err := play(t, again, code, "null"); err != nil {
		t.Fatal(err)
	}
	if len(again.Steps) != 30 {
		t.Errorf("%d steps", len(again.Steps))
	}
	for _, r := range again.Requests {
		if len(r) > 7<<20 {
			t.Errorf("a request has %d bytes", len(r))
		}
	}
}

// Nothing that a program changes in its runtime is seen by the next.
func TestProgramsShareNothing(t *testing.T) {
	t.Parallel()
	p, err := js.CompileDurable("program", `
		const seen = [({}).polluted, typeof leaked, JSON.stringify({a: 1}), Math.random === 1, tools.x.polluted === undefined]
		Object.prototype.polluted = Function.prototype.polluted = 1; globalThis.leaked = 1; JSON.stringify = () => "stolen"; Math.random = 1
		Promise.prototype.then = null; Date.now = () => 0; Object.freeze = x => x
		return seen`, false)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got, err := runs(t, &durabletest.Parent{}, &js.Task{Program: p, Args: []byte("null"), Durable: &js.Durable{ID: "p"}})
		if err != nil || got != `[null,"undefined","{\"a\":1}",false,false]` {
			t.Errorf("Run = %s, %v", got, err)
		}
	}
}
