package js

import "testing"

func TestUtilsJSON(t *testing.T) {
	t.Parallel()
	cases{
		{`utils.parseJson('{"b": [1, null, "é"], "a": {}}')`, `{"b":[1,null,"é"],"a":{}}`},
		{"utils.parseJson('7')", "7"},
		{"utils.parseJson('null')", "null"},
		{`utils.parseJson('{"a": 1, "__proto__": {"polluted": 1}, "b": {"__proto__": 2}}')`, `{"a":1,"b":{}}`},
		{`utils.parseJson('{"\\u005f_proto__": {"polluted": 1}}')`, "{}"},
		{`utils.parseJson('{"a": {"constructor": {"prototype": {"polluted": 1}}}, "constructor": "BMW"}')`, `{"a":{},"constructor":"BMW"}`},
		{`Object.assign({}, utils.parseJson('{"__proto__": {"polluted": 1}}')).polluted`, "undefined"},
		{"utils.parseJson('{')", "SyntaxError: utils.parseJson: the text is not JSON: "},
		{"utils.parseJson('')", "SyntaxError: utils.parseJson: the text is not JSON: "},
		{"utils.parseJson({})", "TypeError: utils.parseJson: text must be a string"},
		{"utils.parseJson()", "TypeError: utils.parseJson: text must be a string"},

		{"utils.toJson({b: [1, undefined, NaN], a: 'é'})", `{"b":[1,null,null],"a":"é"}`},
		{"utils.toJson({a: 1}, true)", "{\n  \"a\": 1\n}"},
		{"utils.toJson([1], 1)", "[\n 1\n]"},
		{"utils.toJson(undefined)", "null"},
		{"utils.toJson(() => 1)", "null"},
		{"utils.toJson(1n)", "TypeError: "},
		{"(() => { const o = {}; o.o = o; return utils.toJson(o) })()", "TypeError: "},
	}.run(t, nil)
}

func TestUtilsFlatten(t *testing.T) {
	t.Parallel()
	cases{
		{"utils.flatten([1, [2, [3, [[4]], []]], 'x', {a: [1]}])", `[1,2,3,4,"x",{"a":[1]}]`},
		{"utils.flatten([1, [2, [3, [4]]]], 1)", "[1,2,[3,[4]]]"},
		{"utils.flatten([1, [2], []], 0)", "[1,[2],[]]"},
		{"utils.flatten([])", "[]"},
		{"utils.flatten([null, [undefined]])", "[null,null]"},
		{"utils.flatten([1, , [, 2]])", "[1,2]"},
		{"utils.flatten({a: {}, b: [[], {}]})", `{"a":{},"b.0":[],"b.1":{}}`},
		{"utils.flatten({a: {b: 1, c: [2, {d: 3}]}, e: {}, f: null, g: []})", `{"a.b":1,"a.c.0":2,"a.c.1.d":3,"e":{},"f":null,"g":[]}`},
		{"utils.flatten({at: new Date(0)})", `{"at":"1970-01-01T00:00:00.000Z"}`},
		{`utils.flatten(JSON.parse('{"a": {"__proto__": {"x": 1}, "constructor": {"y": 2}, "z": 3}}'))`, `{"a.z":3}`},
		{"utils.flatten({})", "{}"},
		{"utils.flatten([1], -1)", "TypeError: utils.flatten: depth must be a number from 0"},
		{"utils.flatten([1], NaN)", "TypeError: utils.flatten: depth must be a number from 0"},
		{"utils.flatten(null)", "TypeError: utils.flatten: the first argument must be an array or a plain object"},
		{"utils.flatten('abc')", "TypeError: utils.flatten: the first argument must be an array"},
		{"(() => { const a = [1]; a.push(a, a); return utils.flatten(a) })()", "TypeError: utils.flatten: the value is nested deeper than 1000"},
		{"(() => { const o = {}; o.o = o; return utils.flatten(o) })()", "TypeError: utils.flatten: the value is nested deeper than 1000"},
	}.run(t, nil)
}

// TestUtilsFlattenIsBounded walks up to the bounds, which is a million values.
func TestUtilsFlattenIsBounded(t *testing.T) {
	t.Parallel()
	if raced {
		return // one goroutine, and a minute of its time
	}
	cases{
		{"utils.flatten(new Array(4e9))", "TypeError: utils.flatten: there are more than 1000000 values"},
		{
			"(() => { let o = {a: 1}; for (let i = 0; i < 40; i++) o = Object.fromEntries(Array.from({length: 99}, (_, i) => [i, o])); " +
				"return utils.flatten(o) })()",
			"TypeError: utils.flatten: there are more than 100000 values",
		},
		{
			"(() => { let a = [1]; for (let i = 0; i < 40; i++) a = Array(9).fill(a); return utils.flatten(a) })()",
			"TypeError: utils.flatten: there are more than 1000000 values",
		},
	}.run(t, nil)
}

func TestUtilsGetPath(t *testing.T) {
	t.Parallel()
	cases{
		{"utils.getPath({a: {b: [{c: 7}]}}, 'a.b[0].c')", "7"},
		{"utils.getPath({a: {b: [{c: 7}]}}, ['a', 'b', 0, 'c'])", "7"},
		{"utils.getPath([[1, 2]], '[0][1]')", "2"},
		{"utils.getPath([5], 0)", "5"},
		{"utils.getPath({a: [1, 2]}, 'a.length')", "2"},
		{"utils.getPath({'é 😀': 1}, 'é 😀')", "1"},
		{"utils.getPath({'a.b': 1}, ['a.b'])", "1"},
		{"utils.getPath({a: null}, 'a')", "null"},
		{"utils.getPath({a: null}, 'a.b', 'x')", "x"},
		{"utils.getPath({a: undefined}, 'a', 'x')", "x"},
		{"utils.getPath({a: 0}, 'a', 'x')", "0"},
		{"utils.getPath({a: 1}, '')", `{"a":1}`},
		{"utils.getPath(null, 'a.b')", "undefined"},
		{"utils.getPath(undefined, 'a', 1)", "1"},
		{"utils.getPath('text', 'length')", "undefined"},
		{"utils.getPath({}, 'toString')", "undefined"},
		{"utils.getPath({}, '__proto__')", "undefined"},
		{"utils.getPath({}, 'constructor.prototype')", "undefined"},
		{"utils.getPath({constructor: 1, prototype: 2}, 'constructor', 'x')", "x"},
		{"utils.getPath(() => 1, 'prototype')", "undefined"},
		{`utils.getPath(JSON.parse('{"__proto__": {"a": 1}}'), '__proto__.a')`, "undefined"},
		{"utils.getPath({}, ['__proto__', 'x'])", "undefined"},
		{"utils.getPath({}, [['__proto__']])", "TypeError: utils.getPath: the names of a path must be strings or numbers"},
		{"utils.getPath({}, null)", "TypeError: utils.getPath: path must be a string"},
		{"utils.getPath({}, {})", "TypeError: utils.getPath: path must be a string"},
	}.run(t, nil)
}
