package js

import (
	"context"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
)

func TestUtilsUnique(t *testing.T) {
	t.Parallel()
	cases{
		{"utils.unique([1, '1', 2, 1, NaN, NaN, null, undefined, null])", `[1,"1",2,null,null,null]`},
		{"utils.unique([{id: 1, n: 'a'}, {id: 1, n: 'b'}, {id: 2}], 'id')", `[{"id":1,"n":"a"},{"id":2}]`},
		{"utils.unique(['a', 'A', 'b'], (s) => s.toLowerCase())", `["a","b"]`},
		{"utils.unique([{}, {}]).length", "2"},
		{"utils.unique([null, 1, {a: 1}], 'a').length", "2"},
		{"utils.unique([{}, {toString: 1}], 'toString').length", "2"},
		{"utils.unique([])", "[]"},
		{"utils.unique(new Set([1]))", "TypeError: utils.unique: the first argument must be an array"},
		{"utils.unique(null)", "TypeError: utils.unique: the first argument must be an array"},
		{"utils.unique('aa')", "TypeError: utils.unique: the first argument must be an array"},
		{"utils.unique([1], {})", "TypeError: utils.unique: the second argument must be a function or the name"},
		{"utils.unique([1], () => { throw new TypeError('mine') })", "TypeError: mine"},
		{"utils.unique(new Array(4e9))", "TypeError: utils.unique: the array has 4000000000 items, at most 1000000 are allowed"},
	}.run(t, nil)
}

func TestUtilsChunk(t *testing.T) {
	t.Parallel()
	cases{
		{"utils.chunk([1, 2, 3, 4, 5], 2)", "[[1,2],[3,4],[5]]"},
		{"utils.chunk([1, 2], 1e9)", "[[1,2]]"},
		{"utils.chunk([], 3)", "[]"},
		{"utils.chunk(1e9)", "TypeError: utils.chunk: the first argument must be an array"},
		{"utils.chunk(new Array(1e9), 1)", "TypeError: utils.chunk: the array has 1000000000 items"},
		{"utils.chunk([1], 0)", "TypeError: utils.chunk: size must be a whole number from 1"},
		{"utils.chunk([1], -1)", "TypeError: utils.chunk: size must be"},
		{"utils.chunk([1], 1.5)", "TypeError: utils.chunk: size must be"},
		{"utils.chunk([1], NaN)", "TypeError: utils.chunk: size must be"},
		{"utils.chunk([1], '1')", "TypeError: utils.chunk: size must be"},
		{"utils.chunk([1])", "TypeError: utils.chunk: size must be"},
	}.run(t, nil)
}

func TestUtilsShuffleAndSample(t *testing.T) {
	t.Parallel()
	const hundred = "Array.from({length: 100}, (_, i) => i)"
	cases{
		{"utils.shuffle(" + hundred + ").sort((a, b) => a - b).join() === " + hundred + ".join()", "true"},
		{"utils.shuffle(" + hundred + ").join() !== utils.shuffle(" + hundred + ").join()", "true"},
		{"(() => { const a = [1, 2, 3]; return utils.shuffle(a) !== a && a })()", "[1,2,3]"},
		// Each of the six orders comes 4000 times of 24000, give or take 60.
		{
			"(() => { const n = {}; for (let i = 0; i < 24000; i++) { const k = utils.shuffle([1, 2, 3]).join(); " +
				"n[k] = (n[k] || 0) + 1 } return Object.values(n).map((c) => Math.abs(c - 4000) < 330) })()",
			"[true,true,true,true,true,true]",
		},
		{"utils.shuffle([])", "[]"},
		{"utils.shuffle(null)", "TypeError: utils.shuffle: the first argument must be an array"},
		{"utils.shuffle(new Array(2e6))", "TypeError: utils.shuffle: the array has 2000000 items"},

		{"[...new Set(Array.from({length: 300}, () => utils.sample([1, 2, 3])))].sort()", "[1,2,3]"},
		{"utils.sample([])", "undefined"},
		{"new Set(utils.sample(" + hundred + ", 50)).size", "50"},
		{"new Set(Array.from({length: 300}, () => utils.sample([1, 2, 3], 1)[0])).size", "3"},
		{"utils.sample([1], 5)", "[1]"},
		{"utils.sample([1, 2], 0)", "[]"},
		{"utils.sample([1], 1e308)", "[1]"},
		{"utils.sample([1], -1)", "TypeError: utils.sample: count must be a whole number from 0"},
		{"utils.sample([1], null)", "TypeError: utils.sample: count must be"},
		{"utils.sample([1], NaN)", "TypeError: utils.sample: count must be"},
		{"utils.sample({})", "TypeError: utils.sample: the first argument must be an array"},
	}.run(t, nil)
}

func TestUtilsGroupBy(t *testing.T) {
	t.Parallel()
	cases{
		{"utils.groupBy([{k: 'a', n: 1}, {k: 'b', n: 2}, {k: 'a', n: 3}], 'k')", `{"a":[{"k":"a","n":1},{"k":"a","n":3}],"b":[{"k":"b","n":2}]}`},
		{"utils.groupBy([1, 2, 3], (n) => n % 2 ? 'odd' : 'even')", `{"odd":[1,3],"even":[2]}`},
		{"utils.groupBy([{}, null, 5], 'k')", `{"undefined":[{},null,5]}`},
		{"utils.groupBy([['x', 1]], 0)", `{"x":[["x",1]]}`},
		{"utils.groupBy([], 'k')", "{}"},
		{
			"(() => { const g = utils.groupBy(['__proto__', 'constructor', 'toString'], (s) => s); return Object.keys(g).length + ' ' + " +
				"(Object.getPrototypeOf(g) === null) + ' ' + ({}).length })()",
			"3 true undefined",
		},
		{"utils.groupBy([1])", "TypeError: utils.groupBy: the second argument must be a function or the name"},
		{"utils.groupBy([1], true)", "TypeError: utils.groupBy: the second argument must be"},
		{"utils.groupBy([1], () => ({}))", "TypeError: utils.groupBy: a key must be a string, a number"},
		{"utils.groupBy([1], () => Symbol('s'))", "TypeError: utils.groupBy: a key must be"},
		{"utils.groupBy({}, 'k')", "TypeError: utils.groupBy: the first argument must be an array"},
	}.run(t, nil)
}

// A callback or an iterator that never ends is stopped with the call.
func TestUtilsAreInterrupted(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		"utils.unique([1], () => { for (;;); })",
		"utils.groupBy(Object.assign([], {*[Symbol.iterator]() { for (;;) yield 1 }}), () => { for (;;); })",
		"utils.flatten({a: new Proxy([], {ownKeys() { for (;;); }})})",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		p, err := CompileBody("t", body)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := Run(ctx, &Task{Program: p, Args: []byte("{}")}); tool.AsError(err) == nil || tool.AsError(err).Kind != tool.Timeout {
			t.Errorf("%s = %s, %v", body, v, err)
		}
	}
}
