package js

import (
	"strings"
	"testing"
	"time"

	"github.com/dlclark/regexp2/v2"

	"github.com/helve-dev/helve/tool"
)

// crawl is a script that returns the path of every property that can be reached from
// the globals, and the printed forms of functions and errors.
const crawl = `
	const bridges = ["console", "fetch", "fs", "Headers", "URL", "URLSearchParams", "TextEncoder", "TextDecoder", "atob", "btoa", "crypto", "_time", "lib", "setTimeout", "clearTimeout", "_env"]
	const seen = new Set(), found = []
	const walk = (value, path) => {
		if (value === null || typeof value !== "object" && typeof value !== "function" || seen.has(value)) return
		seen.add(value)
		if (typeof value === "function") found.push(path + " prints " + value.toString() + " " + value.name)
		for (const key of Reflect.ownKeys(value)) {
			const at = path + "." + String(key)
			found.push(at)
			let d
			try { d = Object.getOwnPropertyDescriptor(value, key) } catch (e) { found.push(at + " throws " + e + e.stack) }
			if (d) { walk(d.value, at); walk(d.get, at); walk(d.set, at) }
		}
		walk(Object.getPrototypeOf(value), path + ".__proto__")
	}
	const stacks = []
	const collect = f => { try { f() } catch (e) { stacks.push(String(e && e.stack)); walk(e, "error") } }
	const collectAll = async roots => {
		for (const [path, root] of roots) walk(root, path)
		for (const [path, root] of roots) {
			if (typeof root !== "function" && typeof root !== "object" || root === null) continue
			for (const key of [undefined, ...Reflect.ownKeys(root)]) {
				const f = key === undefined ? root : root[key]
				if (typeof f !== "function" || key === "constructor") continue
				for (const args of [[], [{get x() { throw new Error("in a callback") }}], [() => { throw new Error("called") }], [Symbol()], [new Proxy({}, {get() { throw new Error("trap") }})]]) {
					collect(() => f.apply(root, args))
					collect(() => new f(...args))
					if (path !== "global") try { await f.apply(root, args) } catch (e) { stacks.push(String(e && e.stack)); walk(e, "rejection") }
				}
			}
		}
		return JSON.stringify([found, stacks])
	}
`

// No name, path or value of Go is visible: not in printed functions, not in stacks, not
// as properties of objects.
func TestNothingOfGoIsVisible(t *testing.T) {
	t.Parallel()
	operator := script(t, crawl+`const execute = async () => {
		return await collectAll([["global", globalThis], ...bridges.map(name => [name, globalThis[name]])])
	}`)
	body := function(t, crawl+`
		const roots = ["getApiKey", "callTool", "listTools", "hash", "uuid", "groupBy"].map(name => [name, utils[name]])
		return await collectAll([["global", globalThis], ["utils", utils], ["context", context], ["args", args], ...roots, ...bridges.map(name => [name, globalThis[name]])])`)
	for _, task := range []*Task{operator, body} {
		task.Network, task.Files = true, true
		task.Lib = func(string) (*Program, error) { return nil, tool.Fail(tool.ExecutionError, "none") }
		got, err := within(t, task)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(got, "prints") < 100 || strings.Count(got, "native") < 100 {
			t.Fatalf("little was seen: %.1000s", got)
		}
		for _, leak := range []string{
			"github.com", "goja", ".go", "internal/", "helve", "main.", "runtime.", "reflect", "0xc0", "func1", "-fm", ".Value", "ExportType",
			"Unwrap", "MarshalJSON",
		} {
			if i := strings.Index(got, leak); i >= 0 {
				t.Errorf("%q is visible: %s", leak, got[max(0, i-200):min(len(got), i+100)])
			}
		}
	}
}

// goja reports no match for a regular expression that needs more than its stack.
func TestTuneRegexp(t *testing.T) {
	size, timeout := regexp2.DefaultOptimizationOptions.MaxBacktrackingStackSize, regexp2.DefaultMatchTimeout
	defer TuneRegexp(size, timeout)
	task := script(t, `function execute() {
		return new RegExp('(?=.)"(?:[^"\\\\]|\\\\.)*"').test('"' + "a".repeat(20000) + '"')
	}`)
	returns(t, task, `false`) // the wrong answer which this is about
	TuneRegexp(4<<20, time.Minute)
	returns(t, task, `true`)
}

func TestCatastrophicRegexp(t *testing.T) {
	size, timeout := regexp2.DefaultOptimizationOptions.MaxBacktrackingStackSize, regexp2.DefaultMatchTimeout
	defer TuneRegexp(size, timeout)
	TuneRegexp(4<<20, 20*time.Millisecond)
	task := script(t, `function execute() { for (;;) /(?=a)(a+)+$/.test("a".repeat(40) + "b") }`)
	isFailure(t, "", briefly(t, task), tool.Timeout, "timed out")
}
