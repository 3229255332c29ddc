package js

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
)

func TestConsole(t *testing.T) {
	t.Parallel()
	for arguments, want := range map[string]string{
		`"a", 1, true, null, undefined`:        "a 1 true null undefined",
		``:                                     "",
		`"two\nlines"`:                         "two\nlines",
		`["a", {b: ["c"]}]`:                    `["a", {b: ["c"]}]`,
		`1n, Symbol("s"), -0, NaN, 1e21`:       "1n Symbol(s) 0 NaN 1e+21",
		`function f() {}, () => 1, class A {}`: "[Function f] [Function] [Function A]",
		`new Map([["k", {v: 1}]]), new Set([1, "x"])`:                   `Map {["k", {v: 1}]} Set {1, "x"}`,
		`new Date(0), /x/g, Promise.resolve(1)`:                         "1970-01-01T00:00:00.000Z [RegExp] [Promise]",
		`new Date(NaN)`:                                                 "[Invalid Date]",
		`new Uint8Array(1e6), new ArrayBuffer(9)`:                       "[TypedArray] {}",
		`{a: {b: {c: {d: {e: 1}}}}}`:                                    "{a: {b: {c: {d: [Object]}}}}",
		`(() => { const o = {}; o.o = o; return o })()`:                 "{o: {o: {o: {o: [Object]}}}}",
		`new Error("boom")`:                                             "Error: boom (t.js:1:34)",
		`{get a() { throw 1 }}`:                                         "{a: [unreadable]",
		`new Proxy({}, {get() { throw 1 }}), 2`:                         "[Proxy] 2",
		`{p: new Proxy([], {})}`:                                        "{p: [Proxy]}",
		`Object.create(null), Object.create({x: 1})`:                    "{} {}",
		`Array(3), [,1]`:                                                "[undefined, undefined, undefined] [undefined, 1]",
		`Array(1e5)`:                                                    "[" + strings.Repeat("undefined, ", 99) + "undefined, …]",
		`{[Symbol("k")]: 1, "a b": 2}`:                                  "{a b: 2}",
		`new (class extends Map { [Symbol.iterator]() { throw 1 } })()`: "Map {[unreadable]",
		`new (class Point { x = 1 })()`:                                 "{x: 1}",
		`{toString() { throw 1 }, toJSON() { throw 2 }}`:                "{toString: [Function toString], toJSON: [Function toJSON]}",
	} {
		task := script(t, "function execute() { console.log("+arguments+") }")
		returns(t, task, `""`)
		if got := task.Host.(*recorder).log(); got != "info "+want+"\n" {
			t.Errorf("%s: got %q, want %q", arguments, got, want)
		}
	}
}

func TestConsoleLevelsAndOrder(t *testing.T) {
	t.Parallel()
	task := script(t, `console.debug("1"); async function execute() {
		console.log("2"); console.info("3"); await 1; console.warn("4"); console.error("5")
		return [Object.keys(console), typeof console.table, console.log === console.log]
	}`)
	returns(t, task, `[["log","info","warn","error","debug"],"undefined",true]`)
	if got := task.Host.(*recorder).log(); got != "debug 1\ninfo 2\ninfo 3\nwarn 4\nerror 5\n" {
		t.Fatal(got)
	}
}

func TestConsoleIsBounded(t *testing.T) {
	t.Parallel()
	for source, lines := range map[string]int{
		`for (let i = 0; i < 1e4; i++) console.log(i)`:                                                   200,
		`const long = "é".repeat(1e5); for (let i = 0; i < 1e3; i++) console.log(long)`:                  17,
		`const long = Array(100).fill("é".repeat(1e4)); for (let i = 0; i < 1e3; i++) console.log(long)`: 17,
	} {
		task := script(t, "function execute() { "+source+" }")
		returns(t, task, `""`)
		host := task.Host.(*recorder)
		if len(host.lines) != lines || !strings.Contains(host.lines[lines-1].Message, "logs too much") {
			t.Errorf("%s: %d lines, the last %.50v", source, len(host.lines), host.lines[len(host.lines)-1])
		}
		for _, l := range host.lines {
			if len(l.Message) > journalLine {
				t.Errorf("a line has %d bytes", len(l.Message))
			}
		}
	}
}

// slowLog is a host that accepts a line only when the call is over.
type slowLog struct {
	recorder

	over <-chan struct{}
}

func (h *slowLog) Do(ctx context.Context, op Op, args json.RawMessage) (json.RawMessage, error) {
	<-h.over
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return h.recorder.Do(ctx, op, args)
}

// The lines before a timeout reach the host although the call is over. On a busy
// machine the time may be over before the script has begun; then it gets more time.
func TestConsoleBeforeATimeout(t *testing.T) {
	t.Parallel()
	logged := ""
	for _, limit := range []time.Duration{30 * time.Millisecond, 300 * time.Millisecond, 3 * time.Second} {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		task := script(t, `function execute() { console.log("here"); console.log("and here"); for (;;); }`)
		host := &slowLog{over: ctx.Done()}
		task.Host = host
		got, err := Run(ctx, task)
		isFailure(t, string(got), checked(t, err), tool.Timeout, "timed out")
		if logged = host.log(); logged != "" {
			break
		}
	}
	if logged != "info here\ninfo and here\n" {
		t.Fatal(logged)
	}
}

// failingLog is a host whose log blocks until its context ends.
type failingLog struct{}

func (failingLog) Do(ctx context.Context, _ Op, _ json.RawMessage) (json.RawMessage, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestLogThatHangs(t *testing.T) {
	t.Parallel()
	task := script(t, `function execute() { console.log("x"); return 1 }`)
	task.Host = failingLog{}
	returns(t, task, `1`)
}
