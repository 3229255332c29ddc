package data

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/lib/csvtab"
	"github.com/helve-dev/helve/internal/lib/jsonvalue"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// csvCase parses a text with further arguments.
func csvCase(name, text, rest, want string) tooltest.Case {
	quoted, _ := json.Marshal(text)
	return tooltest.Case{Name: name, Args: `{"csv":` + string(quoted) + rest + `}`, Want: want}
}

// noted checks the notes of a result; no arguments means no notes.
func noted(want ...string) func(*testing.T, tool.Result) {
	return func(t *testing.T, res tool.Result) {
		t.Helper()
		if !slices.Equal(res.Notes, want) {
			t.Errorf("notes %q, want %q", res.Notes, want)
		}
	}
}

func TestParseCSV(t *testing.T) {
	two := `{"headers":["name","age"],"data":[{"name":"Alice","age":"30"},{"name":"Bob","age":"25"}],"rowCount":2,"columnCount":2}`
	one := func(quote string) string {
		quoted, _ := json.Marshal(quote)
		return fmt.Sprintf(`{"headers":["a","b"],"data":[{"a":%s,"b":"2"}],"rowCount":1,"columnCount":2}`, quoted)
	}
	tooltest.Run(t, Set, "parse_csv", tool.Call{Files: tooltest.Files{}}, []tooltest.Case{
		csvCase("plain", "name,age\nAlice,30\nBob,25", ``, two),
		csvCase("line ends of Windows, byte order mark, blank lines", "\ufeffname,age\r\n\r\nAlice,30\r\n  \r\nBob,25\r\n", ``, two),
		csvCase("line ends of old Macs", "name,age\rAlice,30\rBob,25", ``, two),
		csvCase("semicolons", "name;age\nAlice;30\nBob;25", `,"delimiter":";"`, two),
		csvCase("tabs", "name\tage\nAlice\t30\nBob\t25", `,"delimiter":"\t"`, two),
		csvCase("tabs by their name", "name\tage\nAlice\t30\nBob\t25", `,"delimiter":"\\t"`, two),
		csvCase("another script", "name、age\nAlice、30\nBob、25", `,"delimiter":"、"`, two),
		csvCase("spaces around values", "name , age\n  Alice  , 30 \n\"Bob\" , \"25\"", ``, two),
		csvCase("spaces kept",
			"a,b\n x ,\" y \"", `,"trimValues":false`, `{"headers":["a","b"],"data":[{"a":" x ","b":" y "}],"rowCount":1,"columnCount":2}`),
		csvCase("quotes", "a,b\n\"She said \"\"hello\"\"\",2", ``, one(`She said "hello"`)),
		csvCase("comma", "a,b\n\"Hello, World\",2", ``, one("Hello, World")),
		csvCase("lines in a value", "a,b\r\n\"x\r\n\r\ny\",2\r\n", ``, one("x\r\n\r\ny")),
		csvCase("lines of Unix in a value", "a,b\n\"x\n\ny\",2\n", ``, one("x\n\ny")),
		csvCase("lines of old Macs in a value", "a,b\r\"x\ry\",2\r", ``, one("x\ry")),
		csvCase("both line ends in a value", "a,b\r\n\"x\ny\r\nz\",2\r\n", ``, one("x\ny\r\nz")),
		csvCase("bare quotes", "a,b\n5\" disk of \"ours\",2", ``, one(`5" disk of "ours"`)),
		csvCase("text behind a quote", "a,b\n\"x\"y\"z ,2", ``, one(`xy"z`)),
		csvCase("an empty value in quotes", "a,b\n\"\",2", ``, one("")),
		csvCase("only quotes", "a,b\n\"\"\"\",2", ``, one(`"`)),
		csvCase("quoted tabs", "a\tb\n\"x\ty\"\t\"2\"", `,"delimiter":"tab"`, one("x\ty")),
		csvCase("no header", "1,2\n3,4", `,"hasHeader":false`, `{"data":[["1","2"],["3","4"]],"rowCount":2,"columnCount":2}`),
		csvCase("header only", "a,b", ``, `{"headers":["a","b"],"data":[],"rowCount":0,"columnCount":2}`),
		csvCase("one column", "a\n1\n\"\"\n2", ``, `{"headers":["a"],"data":[{"a":"1"},{"a":""},{"a":"2"}],"rowCount":3,"columnCount":1}`),
		csvCase("ragged", "a,b\n1\n1,2,3\n,", ``,
			`{"headers":["a","b"],"data":[{"a":"1","b":""},{"a":"1","b":"2"},{"a":"","b":""}],"rowCount":3,"columnCount":2,"raggedRows":2}`),
		csvCase("ragged without header",
			"1,2\n3", `,"hasHeader":false`, `{"data":[["1","2"],["3"]],"rowCount":2,"columnCount":2,"raggedRows":1}`),
		csvCase("names there twice or empty", "a,,a,a_2\n1,2,3,4", ``,
			`{"headers":["a","column_2","a_3","a_2"],"data":[{"a":"1","column_2":"2","a_3":"3","a_2":"4"}],"rowCount":1,"columnCount":4}`),
		csvCase("a part", "a\n1\n2\n3\n4", `,"offset":1,"limit":2`,
			`{"headers":["a"],"data":[{"a":"2"},{"a":"3"}],"rowCount":4,"columnCount":1,"count":2,"truncated":true}`),
		csvCase("the last part", "a\n1\n2\n3", `,"offset":2`, `{"headers":["a"],"data":[{"a":"3"}],"rowCount":3,"columnCount":1,"count":1}`),
		csvCase("behind the end", "a\n1", `,"offset":5`, `{"headers":["a"],"data":[],"rowCount":1,"columnCount":1,"count":0}`),
		csvCase("at the end", "a\n1", `,"offset":1`, `{"headers":["a"],"data":[],"rowCount":1,"columnCount":1,"count":0}`),
		csvCase("a limit of none",
			"a\n1\n2", `,"limit":0`, `{"headers":["a"],"data":[{"a":"1"}],"rowCount":2,"columnCount":1,"count":1,"truncated":true}`),
		csvCase("a limit below",
			"a\n1\n2", `,"limit":-1e99`, `{"headers":["a"],"data":[{"a":"1"}],"rowCount":2,"columnCount":1,"count":1,"truncated":true}`),
		csvCase("a limit with a fraction",
			"a\n1\n2", `,"limit":1.9`, `{"headers":["a"],"data":[{"a":"1"}],"rowCount":2,"columnCount":1,"count":1,"truncated":true}`),
		csvCase("a limit above", "a\n1", `,"limit":1e99`, `{"headers":["a"],"data":[{"a":"1"}],"rowCount":1,"columnCount":1}`),
		csvCase("no number as a limit", "a\n1\n2", `,"limit":"1"`, `{"headers":["a"],"data":[{"a":"1"},{"a":"2"}],"rowCount":2,"columnCount":1}`),
		csvCase("null as a limit", "a\n1\n2", `,"limit":null`, `{"headers":["a"],"data":[{"a":"1"},{"a":"2"}],"rowCount":2,"columnCount":1}`),
		csvCase("blanks that are kept",
			"a\n \n\n1", `,"trimValues":false`, `{"headers":["a"],"data":[{"a":" "},{"a":"1"}],"rowCount":2,"columnCount":1}`),
		{
			Name:  "a part and the way on",
			Args:  `{"csv":"a\n1\n2\n3\n4","offset":1,"limit":2}`,
			Check: noted("showing rows 2 to 3 of 4; use offset=3 for the next ones."),
		},
		{Name: "the last part is all", Args: `{"csv":"a\n1\n2\n3","offset":2}`, Check: noted()},
		{Name: "null as not given", Args: `{"csv":"name,age\nAlice,30\nBob,25","delimiter":null,"hasHeader":null}`, Want: two},
		{Name: "order of members", Args: `{"csv":"z,a\n1,2"}`, Check: func(t *testing.T, res tool.Result) {
			if !strings.Contains(string(res.Value), `{"z":"1","a":"2"}`) {
				t.Errorf("result %s, want the members in the order of the columns", res.Value)
			}
		}},
	})
}

func TestParseCSVRefused(t *testing.T) {
	tooltest.Run(t, Set, "parse_csv", tool.Call{Files: tooltest.Files{"dir/": "", "f.csv": "a\n1"}}, []tooltest.Case{
		{Name: "nothing", Args: `{}`, Fails: tool.ValidationError, Message: "name a file of the workspace with path"},
		{Name: "empty", Args: `{"csv":""}`, Fails: tool.ValidationError, Message: "The CSV is empty"},
		{Name: "blank", Args: `{"csv":" \n\r\n"}`, Fails: tool.ValidationError, Message: "The CSV is empty"},
		{Name: "not text", Args: `{"csv":[1]}`, Fails: tool.ValidationError, Message: "csv"},
		{
			Name:    "open quote",
			Args:    `{"csv":"a\n1\n\"2\n3"}`,
			Fails:   tool.ValidationError,
			Message: "The quote that opens in line 3 is never closed",
		},
		{
			Name:    "many columns",
			Args:    `{"csv":"` + strings.Repeat(",", csvtab.MaxColumns) + `"}`,
			Fails:   tool.ValidationError,
			Message: "Line 1 has 20001 values, more than 20000",
		},
		{Name: "long delimiter", Args: `{"csv":"a","delimiter":"::"}`, Fails: tool.ValidationError, Message: "delimiter must be one character"},
		{Name: "quote as delimiter", Args: `{"csv":"a","delimiter":"\""}`, Fails: tool.ValidationError, Message: "delimiter"},
		{Name: "line end as delimiter", Args: `{"csv":"a","delimiter":"\n"}`, Fails: tool.ValidationError, Message: "delimiter"},
		{Name: "both", Args: `{"csv":"a","path":"f.csv"}`, Fails: tool.ValidationError, Message: "send one of them"},
		{Name: "missing file", Args: `{"csv":"","path":"no.csv"}`, Fails: tool.FileNotFound, Message: "no.csv"},
		{Name: "directory", Args: `{"csv":"","path":"dir"}`, Fails: tool.ValidationError},
		{Name: "outside", Args: `{"csv":"","path":"../x.csv"}`, Fails: tool.PathNotAllowed},
	})
}

func TestParseCSVFile(t *testing.T) {
	files := tooltest.Files{
		"f.csv": "a,b\n1,2\n", "utf16.csv": "\xff\xfea\x00,\x00b\x00\n\x001\x00,\x00\xe9\x00", "utf16be.csv": "\xfe\xff\x00a\x00\n\x001",
		"latin1.csv": "a\ncaf\xe9\n", "many.csv": "n\n" + strings.Repeat("7\n", 1500), "empty.csv": "",
		"wide.csv": "h\n" + strings.Repeat("x", csvtab.MaxRecord+1), "open.csv": "h\n\"" + strings.Repeat("x\n", csvtab.MaxRecord),
	}
	tooltest.Run(t, Set, "parse_csv", tool.Call{Files: files}, []tooltest.Case{
		{Name: "path alone", Args: `{"path":"f.csv"}`, Want: `{"headers":["a","b"],"data":[{"a":"1","b":"2"}],"rowCount":1,"columnCount":2}`},
		{Name: "file", Args: `{"csv":"","path":"f.csv"}`, Want: `{"headers":["a","b"],"data":[{"a":"1","b":"2"}],"rowCount":1,"columnCount":2}`},
		{
			Name: "UTF-16",
			Args: `{"csv":"","path":"utf16.csv"}`,
			Want: `{"headers":["a","b"],"data":[{"a":"1","b":"é"}],"rowCount":1,"columnCount":2}`,
		},
		{
			Name: "UTF-16, big-endian",
			Args: `{"csv":"","path":"utf16be.csv"}`,
			Want: `{"headers":["a"],"data":[{"a":"1"}],"rowCount":1,"columnCount":1}`,
		},
		{Name: "many rows", Args: `{"csv":"","path":"many.csv"}`, Check: func(t *testing.T, res tool.Result) {
			var got csvtab.Table
			if err := json.Unmarshal(res.Value, &got); err != nil {
				t.Fatal(err)
			}
			if len(got.Data) != 1000 || got.Count == nil || *got.Count != 1000 || got.RowCount != 1500 || !got.Truncated || !res.Truncated ||
				res.Metadata["total"] != 1500 {
				t.Errorf("%d rows, count %d of %d, truncated %v and %v, %v; want 1000 of 1500",
					len(got.Data), got.Count, got.RowCount, got.Truncated, res.Truncated, res.Metadata)
			}
		}},
		{Name: "limit", Args: `{"csv":"","path":"many.csv","limit":1500}`, Check: func(t *testing.T, res tool.Result) {
			if res.Truncated || strings.Count(string(res.Value), `"7"`) != 1500 {
				t.Errorf("truncated %v with %d rows, want all 1500", res.Truncated, strings.Count(string(res.Value), `"7"`))
			}
		}},
		{Name: "not UTF-8", Args: `{"csv":"","path":"latin1.csv"}`, Fails: tool.ValidationError, Message: "Line 2 is not UTF-8 text"},
		{Name: "empty", Args: `{"csv":"","path":"empty.csv"}`, Fails: tool.ValidationError, Message: "empty"},
		{Name: "a long line", Args: `{"csv":"","path":"wide.csv"}`, Fails: tool.ValidationError, Message: "longer than 1 MiB"},
		{Name: "a quote left open", Args: `{"csv":"","path":"open.csv"}`, Fails: tool.ValidationError, Message: "longer than 1 MiB"},
	})
	large := tool.Call{Files: sizedFiles{files, csvtab.MaxFile + 1}}
	tooltest.Run(t, Set, "parse_csv", large, []tooltest.Case{
		{Name: "large file", Args: `{"csv":"","path":"f.csv"}`, Fails: tool.FileTooLarge, Message: "File is too large (268435457 bytes)"},
	})
}

// A long header is repeated in every row, so few rows of few bytes can be a large
// result.
func TestParseCSVBounded(t *testing.T) {
	text := strings.Repeat("n", 400_000) + "\n" + strings.Repeat("1\n", 200_000)
	quoted, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	tooltest.Run(t, Set, "parse_csv", tool.Call{Files: tooltest.Files{}}, []tooltest.Case{
		{Name: "long name", Args: `{"csv":` + string(quoted) + `}`, Check: func(t *testing.T, res tool.Result) {
			if len(res.Value) > jsonvalue.MaxOutput+len(text) || !res.Truncated || res.Metadata["total"] != 200_000 {
				t.Errorf("%d bytes, truncated %v, %v; want at most %d and all 200000 rows counted",
					len(res.Value), res.Truncated, res.Metadata, jsonvalue.MaxOutput)
			}
		}},
	})
}

// sizedFiles reports a size for every file.
type sizedFiles struct {
	tool.Files

	size int64
}

func (f sizedFiles) Open(name string) (fs.File, error) {
	file, err := f.Files.Open(name)
	return sizedFile{file, f.size}, err
}

type sizedFile struct {
	fs.File

	size int64
}

func (f sizedFile) Stat() (fs.FileInfo, error) {
	info, err := f.File.Stat()
	return sizedInfo{info, f.size}, err
}

type sizedInfo struct {
	fs.FileInfo

	size int64
}

func (i sizedInfo) Size() int64 { return i.size }

// TestParseCSVGuess: a text without a comma in its first line is separated at what is there.
func TestParseCSVGuess(t *testing.T) {
	const two = `{"headers":["a","b"],"data":[{"a":"1","b":"2"}],"rowCount":1,"columnCount":2}`
	tooltest.Run(t, Set, "parse_csv", tool.Call{Files: tooltest.Files{}}, []tooltest.Case{
		csvCase("semicolons", "a;b\n1;2", "", two),
		csvCase("tabs", "a\tb\n1\t2", "", two),
		csvCase("bars", "a|b\n1|2", "", two),
		csvCase("a comma in quotes", "\"a,b\";c\n1;2", "", `{"headers":["a,b","c"],"data":[{"a,b":"1","c":"2"}],"rowCount":1,"columnCount":2}`),
		csvCase("a comma", "a;b,c\n1,2", "", `{"headers":["a;b","c"],"data":[{"a;b":"1","c":"2"}],"rowCount":1,"columnCount":2}`),
		csvCase("a given comma", "a;b\n1;2", `,"delimiter":","`, `{"headers":["a;b"],"data":[{"a;b":"1;2"}],"rowCount":1,"columnCount":1}`),
	})
}
