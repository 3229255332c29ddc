package js

import "testing"

func TestUtilsCases(t *testing.T) {
	t.Parallel()
	cases{
		{"utils.slugify('  Hello, World!  ')", "hello-world"},
		{"utils.slugify(\"Don't Stop — Straße\")", "dont-stop-strasse"},
		{"utils.slugify('Çiğdem IŞIK Łódź Ærø İ')", "cigdem-isik-lodz-aero-i"},
		{"utils.slugify('Привет, мир')", "привет-мир"},
		{"utils.slugify('हिन्दी カナ')", "हिन्दी-カナ"},
		{"utils.slugify('😀--😀')", `""`},
		{"utils.slugify(2026)", "2026"},
		{"utils.slugify('a\\ud800b')", "a-b"},
		{"utils.slugify({})", "TypeError: utils.slugify: text " + noText + "an object"},

		{"utils.camelCase('hello world-foo_bar')", "helloWorldFooBar"},
		{"utils.camelCase('HTMLParser v2')", "htmlParserV2"},
		{"utils.camelCase('éTÉ indien')", "éTéIndien"},
		{"utils.camelCase('')", `""`},
		{"utils.camelCase('--')", `""`},
		{"utils.snakeCase('helloWorld fooBAR')", "hello_world_foo_bar"},
		{"utils.snakeCase('parseHTMLText')", "parse_html_text"},
		{"utils.snakeCase('ID')", "id"},
		{"utils.snakeCase('version2Beta')", "version2_beta"},
		{"utils.kebabCase('HelloWorld_foo')", "hello-world-foo"},
		{"utils.kebabCase('ÄpfelÖl')", "äpfel-öl"},
		{"utils.kebabCase(null)", "TypeError: utils.kebabCase: text " + noText + "null"},
		{"utils.titleCase('the QUICK  brown-fox (jumps)')", "The Quick  Brown-fox (Jumps)"},
		{"utils.titleCase('élan\\nǆur')", "Élan\nǅur"},
		{"utils.titleCase('')", `""`},
		{"utils.titleCase(undefined)", "TypeError: utils.titleCase: text " + noText + "undefined"},
	}.run(t, nil)
}

func TestUtilsTruncate(t *testing.T) {
	t.Parallel()
	cases{
		{"utils.truncate('hello world', 8)", "hello..."},
		{"utils.truncate('hello world', 11)", "hello world"},
		{"utils.truncate('hello world', 10)", "hello w..."},
		{"utils.truncate('hello world', 3)", "hel"},
		{"utils.truncate('hello world', 0)", `""`},
		{"utils.truncate('hello world', 6, '…')", "hello…"},
		{"utils.truncate('hello world', 5, '')", "hello"},
		{"utils.truncate('hello world', 8, null)", "hello..."},
		{"utils.truncate('', 0)", `""`},
		{"utils.truncate('😀😀😀😀', 6)", "😀..."},
		{"utils.truncate('😀😀😀😀', 7)", "😀😀..."},
		{"utils.truncate('😀😀😀😀', 8)", "😀😀😀😀"},
		{"utils.truncate('x', 1e9)", "x"},
		{"utils.truncate('hello', -1)", "TypeError: utils.truncate: max must be a whole number from 0"},
		{"utils.truncate('hello', 2.5)", "TypeError: utils.truncate: max must be a whole number"},
		{"utils.truncate('hello', NaN)", "TypeError: utils.truncate: max must be a whole number"},
		{"utils.truncate('hello', '3')", "TypeError: utils.truncate: max must be a number, but it is a string"},
		{"utils.truncate('hello')", "TypeError: utils.truncate: max must be a number, but it is undefined"},
		{"utils.truncate('hello', 3, {})", "TypeError: utils.truncate: suffix " + noText + "an object"},
	}.run(t, nil)
}

func TestUtilsWordsAndAccents(t *testing.T) {
	t.Parallel()
	cases{
		{"utils.countWords('one  two\\n\\tthree ')", "3"},
		{"utils.countWords(\"l'été — déjà\")", "3"},
		{"utils.countWords('a\\u00a0b\\u3000c')", "3"},
		{"utils.countWords('   ')", "0"},
		{"utils.countWords('')", "0"},
		{"utils.countWords(12)", "1"},
		{"utils.countWords([])", "TypeError: utils.countWords: text " + noText + "an object"},

		{"utils.removeDiacritics('Crème Brûlée, Ñandú, Łódź, Ğış, e\\u0301')", "Creme Brulee, Nandu, Lodz, Gis, e"},
		{"utils.removeDiacritics('한국어 हिन्दी ガ ß')", "한국어 हिन्दी ガ ß"},
		{"utils.removeDiacritics('a' + '\\u0301'.repeat(1000))", "a"},
		{"utils.removeDiacritics('')", `""`},
		{"utils.removeDiacritics(Symbol('x'))", "TypeError: utils.removeDiacritics: text " + noText + "of another type"},
	}.run(t, nil)
}
