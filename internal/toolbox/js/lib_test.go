package js

import (
	"errors"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// libraryOf finds libraries by name.
func libraryOf(t *testing.T, sources map[string]string) func(string) (*Program, error) {
	t.Helper()
	programs := map[string]*Program{}
	for name, source := range sources {
		p, err := CompileLib("lib/"+name+".js", source)
		if err != nil {
			t.Fatal(err)
		}
		programs[name] = p
	}
	return func(name string) (*Program, error) {
		if p := programs[name]; p != nil {
			return p, nil
		}
		return nil, tool.Fail(tool.ExecutionError, "there is no library %q", name)
	}
}

func TestLib(t *testing.T) {
	t.Parallel()
	lib := libraryOf(t, map[string]string{
		"sum":    `exports.sum = (a, b) => a + b`,
		"whole":  `module.exports = class { name() { return "whole" } } // the end`,
		"count":  `let n = 0; exports.next = () => ++n; globalThis.loads = (globalThis.loads || 0) + 1`,
		"uses":   `const {sum} = lib("sum"); exports.twice = a => sum(a, a); exports.hidden = typeof module + typeof require`,
		"a":      `lib("b")`,
		"b":      `lib("c")`,
		"c":      `lib("a")`,
		"throws": "\n  throw new Error('at load')",
		"fails":  "exports.f = () => {\n  throw new Error('within')\n}",
		"deep":   `exports.value = lib("absent")`,
		"this":   `exports.same = this === exports`,
	})
	for call, want := range map[string]string{
		`lib("sum").sum(1, 2)`:                                               `3`,
		`new (lib("whole"))().name()`:                                        `"whole"`,
		`lib("count").next() + lib("count").next() * 10 + loads * 100`:       `121`,
		`[lib("uses").twice(4), lib("uses").hidden]`:                         `[8,"objectundefined"]`,
		`lib("this").same`:                                                   `true`,
		`typeof module + typeof exports + lib("sum").sum.length`:             `"undefinedundefined2"`,
		`(() => { try { lib("throws") } catch (e) { return e.message } })()`: `"at load"`,
		`[1, 2].map(() => { try { lib("a") } catch (e) { return 1 } })`:      `[1,1]`,
	} {
		for _, task := range []*Task{script(t, "function execute() { return "+call+" }"), function(t, "return "+call)} {
			task.Lib = lib
			returns(t, task, want)
		}
	}
	for call, says := range map[string]string{
		`lib("a")`:         "libraries need each other: a → b → c → a (lib/c.js:1:",
		`lib("absent")`:    `there is no library "absent" (t.js:1:`,
		`lib("deep")`:      `there is no library "absent" (lib/deep.js:1:`,
		`lib("throws")`:    "Error: at load (lib/throws.js:2:9)",
		`lib("fails").f()`: "Error: within (lib/fails.js:2:9)",
		`lib()`:            "lib needs the name of a library",
		`lib({})`:          "lib needs the name of a library",
	} {
		task := script(t, "function execute() { return "+call+" }")
		task.Lib = lib
		fails(t, task, tool.ExecutionError, says)
	}
}

// The state of a library belongs to one call.
func TestLibIsFreshInEachCall(t *testing.T) {
	t.Parallel()
	task := script(t, `function execute() { return lib("count").next() }`)
	task.Lib = libraryOf(t, map[string]string{"count": `let n = 0; exports.next = () => ++n`})
	for range 3 {
		returns(t, task, `1`)
	}
}

func TestLibThatIsNone(t *testing.T) {
	t.Parallel()
	task := script(t, `function execute() { return lib("x") }`)
	task.Lib = func(string) (*Program, error) { return task.Program, nil }
	fails(t, task, tool.ExecutionError, "x is not a library")
	task.Lib = func(string) (*Program, error) { return nil, errors.New("disk") }
	fails(t, task, tool.ExecutionError, "disk")
	if _, err := CompileLib("x", `}); evil(); (function () {`); err == nil {
		t.Fatal("a library left its function")
	}
}
