package js

import "testing"

func TestUtilsParseCSV(t *testing.T) {
	t.Parallel()
	cases{
		{`utils.parseCsv('name,age\nAnn,7\nBob,08')`, `[{"name":"Ann","age":"7"},{"name":"Bob","age":"08"}]`},
		{`utils.parseCsv('a,b\r\n1,2\r\n\r\n3,4\r\n')`, `[{"a":"1","b":"2"},{"a":"3","b":"4"}]`},
		{`utils.parseCsv('a,b\n"x, ""y""","line\nbreak"')`, `[{"a":"x, \"y\"","b":"line\nbreak"}]`},
		{`utils.parseCsv('\ufeffé, b \n 1,😀')`, `[{"é":" 1","b":"😀"}]`},
		{`utils.parseCsv('a;b\n1,5;2', ';')`, `[{"a":"1,5","b":"2"}]`},
		{`utils.parseCsv('a\tb\n1\t', '\t')`, `[{"a":"1","b":""}]`},
		{`utils.parseCsv('a,b\n1\n1,2,3')`, `[{"a":"1","b":""},{"a":"1","b":"2","column3":"3"}]`},
		{`utils.parseCsv('a,,a\n1,2,3')`, `[{"a":"1","column2":"2","column3":"3"}]`},
		{`utils.parseCsv('__proto__,constructor\n1,2')`, `[{"column1":"1","constructor":"2"}]`},
		{`Object.keys(utils.parseCsv('toString,a\n1,2')[0])`, `["toString","a"]`},
		{`utils.parseCsv('a,b')`, "[]"},
		{`utils.parseCsv('')`, "[]"},
		{`utils.parseCsv('a,b\n1,"2')`, "TypeError: utils.parseCsv: line 2: extraneous or missing \" in quoted-field"},
		{`utils.parseCsv('a,b\n1,2"3')`, "TypeError: utils.parseCsv: line 2: bare \" in non-quoted-field; a cell that contains a quote"},
		{`utils.parseCsv('a', '')`, "TypeError: utils.parseCsv: delimiter must be one character"},
		{`utils.parseCsv('a', ', ')`, "TypeError: utils.parseCsv: delimiter must be one character"},
		{`utils.parseCsv('a', '"')`, "TypeError: utils.parseCsv: delimiter must be one character"},
		{`utils.parseCsv('a', {})`, "TypeError: utils.parseCsv: delimiter " + noText + "an object"},
		{`utils.parseCsv('a' + ',x'.repeat(1000) + '\n1'.repeat(600))`, "TypeError: utils.parseCsv: the text has more than 500000 cells"},
	}.run(t, nil)
}
