package js

import (
	"testing"

	"github.com/dop251/goja"
)

func BenchmarkNoop(b *testing.B) {
	benchmark(b, script(b, "async function execute(params) { return params.a }"), `{"a":"x"}`)
}

func BenchmarkSmall(b *testing.B) {
	benchmark(b,
		function(b,
			`const m = new Map(); for (const w of args.text.split(" ")) m.set(w, (m.get(w) || 0) + 1); return [...m].sort((a, b) => b[1] - a[1])`),
		`{"text":"the quick brown fox jumps over the lazy dog the end"}`)
}

// BenchmarkLog measures a call that logs one line.
func BenchmarkLog(b *testing.B) {
	benchmark(b, script(b, `function execute(params) { console.log("a line", params) }`), `{"a":"x"}`)
}

func benchmark(b *testing.B, task *Task, args string) {
	task.Args = []byte(args)
	task.Host = quiet{}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Run(b.Context(), task); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBridges measures a fresh runtime with the functions of JSON that each run
// needs, and the additional costs of a script that could name any bridge, and of a
// script that names two.
func BenchmarkBridges(b *testing.B) {
	task := script(b, "function execute() {}")
	task.Network = true
	b.Run("runtime", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			goja.New()
		}
	})
	b.Run("none", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r := &realm{vm: goja.New(), task: task}
			r.takeJSON()
		}
	})
	b.Run("all", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			newRealm(b.Context(), task)
		}
	})
	b.Run("two named", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r := newRealm(b.Context(), task)
			r.globals.Get("console")
			r.globals.Get("fetch")
		}
	})
}

func BenchmarkCompile(b *testing.B) {
	source := crawl + "async function execute() { return await collectAll([]) }"
	b.SetBytes(int64(len(source)))
	for b.Loop() {
		if _, err := Compile("x.js", source); err != nil {
			b.Fatal(err)
		}
	}
}
