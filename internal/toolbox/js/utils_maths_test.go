package js

import "testing"

func TestUtilsMaths(t *testing.T) {
	t.Parallel()
	cases{
		{"[utils.clamp(5, 1, 3), utils.clamp(-5, 1, 3), utils.clamp(2, 1, 3), utils.clamp(Infinity, 1, 3)]", "[3,1,2,3]"},
		{"utils.clamp(1, -Infinity, Infinity)", "1"},
		{"utils.clamp(NaN, 1, 3)", "TypeError: utils.clamp: value must be a number"},
		{"utils.clamp('2', 1, 3)", "TypeError: utils.clamp: value must be a number"},
		{"utils.clamp(2, 1)", "TypeError: utils.clamp: max must be a number"},
		{"utils.clamp(2, 3, 1)", "TypeError: utils.clamp: min is larger than max"},

		{
			"[utils.round(2.5), utils.round(-2.5), utils.round(1.005, 2), utils.round(-1.005, 2), utils.round(1234.5, -2)]",
			"[3,-3,1.01,-1.01,1200]",
		},
		{
			"[utils.round(1e21, 2), utils.round(1e-7, 3), utils.round(1.7976931348623157e308, 2), utils.round(5e-324, 100)]",
			"[1e+21,0,1.7976931348623157e+308,0]",
		},
		{"Object.is(utils.round(-0.4), 0)", "true"},
		{"utils.round(Infinity)", "Infinity"},
		{"utils.round(NaN)", "TypeError: utils.round: value must be a number"},
		{"utils.round(null)", "TypeError: utils.round: value must be a number"},
		{"utils.round(1, 1.5)", "TypeError: utils.round: digits must be a whole number"},
		{"utils.round(1, 1e9)", "TypeError: utils.round: digits must be a whole number"},

		{"utils.sum([1, 2, 3.5])", "6.5"},
		{"utils.sum([])", "0"},
		{"utils.sum([1, NaN])", "NaN"},
		{"utils.sum(['1', '2'])", "TypeError: utils.sum: item 0 is not a number; Number(text) makes one"},
		{"utils.sum([1, null])", "TypeError: utils.sum: item 1 is not a number"},
		{"utils.sum(new Array(4e9))", "TypeError: utils.sum: item 0 is not a number"},
		{"utils.sum(1, 2)", "TypeError: utils.sum: the first argument must be an array of numbers"},
		{"utils.sum(null)", "TypeError: utils.sum: the first argument must be an array"},

		{"utils.avg([1, 2, 6])", "3"},
		{"utils.avg([])", "0"},
		{"utils.avg([NaN])", "NaN"},
		{"utils.avg(['1'])", "TypeError: utils.avg: item 0 is not a number"},
		{"utils.avg({length: 1e9})", "TypeError: utils.avg: the first argument must be an array"},
	}.run(t, nil)
}

func TestUtilsRandomInt(t *testing.T) {
	t.Parallel()
	cases{
		{"[...new Set(Array.from({length: 400}, () => utils.randomInt(-1, 1)))].sort((a, b) => a - b)", "[-1,0,1]"},
		{"utils.randomInt(7, 7)", "7"},
		{"(() => { const n = utils.randomInt(-9007199254740991, 9007199254740991); return Number.isSafeInteger(n) })()", "true"},
		{"utils.randomInt(2, 1)", "TypeError: utils.randomInt: min is larger than max"},
		{"utils.randomInt(1)", "TypeError: utils.randomInt: max must be a number, but it is undefined"},
		{"utils.randomInt(0.5, 2)", "TypeError: utils.randomInt: min must be a whole number"},
		{"utils.randomInt(0, 1e308)", "TypeError: utils.randomInt: max must be a whole number"},
		{"utils.randomInt(NaN, 1)", "TypeError: utils.randomInt: min must be a whole number"},
		{"utils.randomInt('0', 1)", "TypeError: utils.randomInt: min must be a number, but it is a string"},
	}.run(t, nil)
}

func TestUtilsGeneratePassword(t *testing.T) {
	t.Parallel()
	cases{
		{"utils.generatePassword().length", "16"},
		{"utils.generatePassword(null).length", "16"},
		{"utils.generatePassword(256).length", "256"},
		{
			"Array.from({length: 50}, () => utils.generatePassword(4)).every((p) => /[a-z]/.test(p) && /[A-Z]/.test(p) && /[2-9]/.test(p) && " +
				"/[^a-zA-Z0-9]/.test(p))",
			"true",
		},
		{"new Set(Array.from({length: 100}, () => utils.generatePassword())).size", "100"},
		{"utils.generatePassword(3)", "TypeError: utils.generatePassword: length must be a whole number from 4 to 256, but it is 3"},
		{"utils.generatePassword(1e9)", "TypeError: utils.generatePassword: length must be a whole number from 4 to 256"},
		{"utils.generatePassword(NaN)", "TypeError: utils.generatePassword: length must be a whole number"},
		{"utils.generatePassword('8')", "TypeError: utils.generatePassword: length must be a number, but it is a string"},
	}.run(t, nil)
}
