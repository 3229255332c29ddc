package pdf

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/test/testtime"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

const sample = `# Überschrift

Some *slanted*, **bold** and ` + "`code`" + ` words with a [link](https://example.com/a).
Привет, мир. Γειά σου Κόσμε. “Quotes” — dashes… €5

## Lists

- first
- second
  - inner
1. one
2. two

> quoted words

| Name   | Amount |
|--------|-------:|
| apples | 12     |
| pears  | 7      |

` + "```\nfunc main() {\n    run()\n}\n```\n\n---\n\nThe end. <script>alert(1)</script>\n"

func quoted(t *testing.T, s string) string {
	t.Helper()
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// back reads a created document; words are compared as they appear on the page.
func (b *bench) back(t *testing.T, name string) readPDFResult {
	t.Helper()
	call := b.call
	res, err := readPDF(t.Context(), &call, readPDFArgs{Path: name, ExtractTables: true})
	if err != nil {
		t.Fatalf("%s cannot be read back: %v", name, err)
	}
	return *res
}

// Created documents can be read by poppler and by our own parser alike.
func TestCreatePDF(t *testing.T) {
	both(t, func(t *testing.T, b *bench) {
		reads := func(name string, parts ...string) func(*testing.T, tool.Result) {
			return func(t *testing.T, _ tool.Result) {
				r := b.back(t, name)
				flat := strings.Join(strings.Fields(r.Text), " ")
				for _, part := range parts {
					if !strings.Contains(flat, part) {
						t.Errorf("%s reads %q, want it to hold %q", name, r.Text, part)
					}
				}
			}
		}
		create := func(name, format, content, more string) string {
			return fmt.Sprintf(`{"outputPath":%q,"format":%q,"content":%s%s}`, name, format, quoted(t, content), more)
		}
		tooltest.Run(t, Set, "create_pdf", b.call, []tooltest.Case{
			{Name: "markdown", Args: create("docs/new/a.pdf", "markdown", sample, `,"title":"Große Pläne","author":"Пётр"`),
				Check: func(t *testing.T, res tool.Result) {
					reads("docs/new/a.pdf", "Überschrift", "Some slanted, bold and code words with a link.", "Привет, мир. Γειά σου Κόσμε.",
						"“Quotes” — dashes… €5", "• first", "• inner", "2. two", "quoted words", "func main() {", "The end.")(t, res)
					r := b.back(t, "docs/new/a.pdf")
					if r.Info.Title != "Große Pläne" || r.Info.Author != "Пётр" || r.Info.Producer != "Helve" ||
						!strings.HasPrefix(r.Info.CreationDate, "2026-01-02T12:00:00") {
						t.Errorf("info %+v", r.Info)
					}
					if strings.Contains(r.Text, "alert") || strings.Contains(r.Text, "**") {
						t.Errorf("text %q", r.Text)
					}
					if !strings.Contains(fmt.Sprint(r.Tables), "[[Name Amount] [apples 12] [pears 7]]") {
						t.Errorf("tables %v", r.Tables)
					}
					if want := `{"success":true,"path":"docs/new/a.pdf","size":`; !strings.HasPrefix(string(res.Value), want) ||
						!strings.HasSuffix(string(res.Value), `"pageSize":"A4","pageCount":1,"title":"Große Pläne","author":"Пётр"}`) {
						t.Errorf("result %s", res.Value)
					}
				}},
			{Name: "html", Args: create("h.pdf", "html",
				"<title>no</title><h1>Head</h1><p>one&nbsp;two<br>three &amp; &lt;four&gt;</p><ol start=3><li>c</li></ol><img src=http://x/ "+
					"alt=cat><style>p{}</style>",
				""), Check: func(t *testing.T, res tool.Result) {
				reads("h.pdf", "Head", "one two", "three & <four>", "3. c", "[image cat]")(t, res)
				if text := b.back(t, "h.pdf").Text; strings.Contains(text, "no") || strings.Contains(text, "p{}") {
					t.Errorf("text %q", text)
				}
			}},
			{Name: "html of tables and terms", Args: create("g.pdf", "html",
				"<table><caption>Prices</caption><thead><tr><th>What</th></tr></thead><tr><td>"+strings.Repeat("long words ", 900)+
					"</td></tr><tfoot><tr><td>sum</td></tr></tfoot></table><dl><dt>term</dt><dd>meaning</dd></dl>",
				""), Check: func(t *testing.T, res tool.Result) {
				reads("g.pdf", "Prices", "What", "long words long words", "sum", "term", "meaning")(t, res)
				if r := b.back(t, "g.pdf"); strings.Count(strings.Join(strings.Fields(r.Text), " "), "long") != 900 {
					t.Errorf("%d of 900 words in a cell that fills pages", strings.Count(r.Text, "long"))
				}
			}},
			{
				Name:  "text as it stands",
				Args:  create("t.pdf", "text", "# not a heading\r\n\r\n  <b>x</b>\tand **y**", ""),
				Check: reads("t.pdf", "# not a heading", "<b>x</b> and **y**"),
			},
			{Name: "text by default", Args: `{"outputPath":"d.pdf","content":"*plain*"}`, Check: reads("d.pdf", "*plain*")},
			{Name: "nothing", Args: `{"outputPath":"e.pdf","content":""}`, Check: func(t *testing.T, _ tool.Result) {
				if r := b.back(t, "e.pdf"); r.PageCount != 1 || r.Text != "" {
					t.Errorf("%d pages, text %q", r.PageCount, r.Text)
				}
			}},
			{Name: "paper", Args: create("p.pdf", "text", "x", `,"pageSize":"Legal","margins":{"left":0,"top":10}`),
				Check: func(t *testing.T, _ tool.Result) {
					if r := b.back(t, "p.pdf"); !strings.HasPrefix(r.Metadata.PageSize, "612 x 1008 pts") {
						t.Errorf("page size %q", r.Metadata.PageSize)
					}
				}},
			{Name: "pages", Args: create("m.pdf", "text", strings.Repeat("line\n", 200), ""), Check: func(t *testing.T, res tool.Result) {
				if r := b.back(t, "m.pdf"); r.PageCount != 5 || strings.Count(r.Text, "line") != 200 ||
					!strings.Contains(string(res.Value), `"pageCount":5`) {
					t.Errorf("%d pages, %d lines, result %s", r.PageCount, strings.Count(r.Text, "line"), res.Value)
				}
			}},
			{Name: "some characters without a glyph", Args: create("w.pdf", "text", "hello अ and 😀\u200d bye", ""),
				Check: func(t *testing.T, res tool.Result) {
					if want := "No font of this worker has some characters (Devanagari, symbols and emoji); they were replaced by □ and cannot be read. " +
						"The operator can install fonts that have them where the worker runs (apt-get install fonts-noto-core fonts-symbola; " +
						"pdf.fonts names the directories)."; !slices.Equal(res.Notes, []string{want}) {
						t.Errorf("notes %q, want %q", res.Notes, want)
					}
					if !strings.Contains(string(res.Value), `"warning":"2 different character(s) that the fonts do not have were replaced by □: अ😀"`) {
						t.Errorf("result %s", res.Value)
					}
					reads("w.pdf", "hello □ and □ bye")(t, res)
				}},
			{Name: "title beyond the first plane", Args: create("u.pdf", "text", "x", `,"title":"Plan 😀 x","author":"(A\\b)"`),
				Check: func(t *testing.T, _ tool.Result) {
					if r := b.back(t, "u.pdf"); r.Info.Title != "Plan 😀 x" || r.Info.Author != `(A\b)` {
						t.Errorf("info %+v", r.Info)
					}
				}},
			{Name: "letters in two parts", Args: create("n.pdf", "html", "<p>u\u0308ber e&#x301;te\u0301 и\u0306</p>", ""),
				Check: func(t *testing.T, res tool.Result) {
					reads("n.pdf", "über été й")(t, res)
					if strings.Contains(string(res.Value), "warning") {
						t.Errorf("result %s", res.Value)
					}
				}},
			{Name: "other scripts", Args: create("s.pdf", "markdown", "# Ελληνικά\n\nПривет **გამარჯობა** Բարեւ and Latin\n\n- item\n", ""),
				Check: func(t *testing.T, res tool.Result) {
					reads("s.pdf", "Ελληνικά", "Привет", "გამარჯობა", "Բարեւ and Latin", "• item")(t, res)
					if res.Notes != nil || strings.Contains(string(res.Value), "warning") {
						t.Errorf("result %s, notes %q, want neither warning nor note", res.Value, res.Notes)
					}
				}},
			{Name: "from right to left",
				Args: create("r.pdf", "text", strings.Repeat("שלום עולם ", 200)+"\nThe word سلام in Latin\n"+strings.Repeat("ם", 5000), ""),
				Check: func(t *testing.T, res tool.Result) {
					text := b.back(t, "r.pdf").Text
					if words := strings.Count(text, "םולש") + strings.Count(text, "שלום"); words != 200 {
						t.Errorf("%d of 200 words", words)
					}
					if n := strings.Count(text, "ם"); n != 5000+200*2 {
						t.Errorf("%d letters, want none lost where lines are broken", n)
					}
					if res.Notes != nil || strings.Contains(text, "□") || !strings.Contains(text, "The word") || !strings.Contains(text, " in Latin") {
						t.Errorf("notes %q, text %.300q", res.Notes, text)
					}
				}},
			{Name: "table of another script",
				Args: create("ta.pdf", "html", "<table><tr><th>שלום</th><th>գին</th></tr><tr><td>عربي</td><td>1</td></tr></table>", ""),
				Check: func(t *testing.T, res tool.Result) {
					reads("ta.pdf", "գին", "1")(t, res)
					if res.Notes != nil || strings.Contains(b.back(t, "ta.pdf").Text, "□") {
						t.Errorf("notes %q", res.Notes)
					}
				}},
			{
				Name:    "most without a glyph",
				Args:    create("c.pdf", "text", "नमस्ते", ""),
				Fails:   tool.Unsupported,
				Message: "Most of the content is in characters that no font of this worker has (Devanagari: ",
			},
			{
				Name:    "margins that leave nothing",
				Args:    create("x.pdf", "text", "x", `,"margins":{"left":300,"right":300}`),
				Fails:   tool.ValidationError,
				Message: "margins",
			},
			{Name: "negative margin", Args: create("x.pdf", "text", "x", `,"margins":{"left":-1}`), Fails: tool.ValidationError, Message: "left"},
			{Name: "unknown paper", Args: create("x.pdf", "text", "x", `,"pageSize":"A0"`), Fails: tool.ValidationError, Message: "pageSize"},
			{Name: "unknown format", Args: create("x.pdf", "rtf", "x", ""), Fails: tool.ValidationError, Message: "format"},
			{Name: "no content", Args: `{"outputPath":"x.pdf"}`, Fails: tool.ValidationError, Message: "content"},
			{Name: "no path", Args: `{"content":"x"}`, Fails: tool.ValidationError, Message: "outputPath"},
			{Name: "outside", Args: create("../x.pdf", "text", "x", ""), Fails: tool.PathNotAllowed},
			{Name: "a directory", Args: create("docs", "text", "x", ""), Fails: tool.ValidationError},
			{Name: "too deep", Args: create("x.pdf", "html", strings.Repeat("<div>", 5000), ""), Fails: tool.ValidationError, Message: "nested"},
			{
				Name:    "too many columns",
				Args:    create("x.pdf", "html", "<table><tr>"+strings.Repeat("<td>x", maxColumns+1), ""),
				Fails:   tool.ValidationError,
				Message: "columns",
			},
		})
		if _, err := os.Stat(filepath.Join(b.dir, "x.pdf")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a document that was refused: %v", err)
		}
	})
}

// Content that is expensive to set takes no longer than the tool's timeout.
func TestCreatePDFHostile(t *testing.T) {
	b := newBench(t, t.TempDir())
	const size = 100_000
	for name, c := range map[string][2]string{
		"one word":      {"text", strings.Repeat("x", size)},
		"one line":      {"text", strings.Repeat("word ", size/5)},
		"empty lines":   {"text", strings.Repeat("\n", size/4)},
		"one cell":      {"html", "<table><tr><td>" + strings.Repeat("word ", size/5)},
		"many cells":    {"html", "<table>" + strings.Repeat("<tr><td>a<td>b", size/40)},
		"breaks":        {"html", strings.Repeat("<br>", size/8)},
		"quotes":        {"markdown", strings.Repeat(">", size/20) + "x"},
		"brackets":      {"markdown", strings.Repeat("[", size/4)},
		"stars":         {"markdown", strings.Repeat("*a **", size/20)},
		"lists":         {"html", strings.Repeat("<ul><li>", 200) + "deep"},
		"not UTF-8":     {"text", "a\xff\xfeb"},
		"controls":      {"text", "a\x00\x01\x1b[0mb\u202ec"},
		"heading":       {"html", "<h1>" + strings.Repeat("word ", 2000)},
		"tables inside": {"html", strings.Repeat("<table><tr><td>", 100) + "x"},
	} {
		began := time.Now()
		call := b.call
		call.Clock = tooltest.Clock{T: time.Unix(0, 0)}
		ctx, cancel := context.WithTimeout(t.Context(), testtime.Patience())
		res, err := createPDF(ctx, &call, createPDFArgs{OutputPath: "x.pdf", Format: c[0], Content: c[1], PageSize: "A4"})
		cancel()
		if err != nil && tool.AsError(err).Kind != tool.ValidationError {
			t.Errorf("%s: error %v after %v", name, err, time.Since(began))
		}
		if err == nil && (!res.Success || b.back(t, "x.pdf").PageCount != res.PageCount) {
			t.Errorf("%s: %+v, read back %d pages", name, res, b.back(t, "x.pdf").PageCount)
		}
	}
}

// The work ends when the call ends, and leaves nothing behind.
func TestCreatePDFCancelled(t *testing.T) {
	b := newBench(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, format := range []string{"text", "markdown", "html"} {
		_, err := createPDF(ctx, &b.call, createPDFArgs{OutputPath: "a.pdf", Format: format, Content: sample, PageSize: "A4"})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s in a call that ended: error %v, want %v", format, err, context.Canceled)
		}
	}
	if _, err := os.Stat(filepath.Join(b.dir, "a.pdf")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a document was left: %v", err)
	}
}

// full is a workspace whose disk is full.
type full struct{ tool.Files }

func (full) Write(string, io.Reader) (int64, error) {
	return 0, tool.Fail(tool.ExecutionError, "The disk is full")
}

func TestCreatePDFFullDisk(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.call.Files = full{b.call.Files}
	tooltest.Run(t, Set, "create_pdf", b.call, []tooltest.Case{
		{Name: "full", Args: `{"outputPath":"a.pdf","content":"x"}`, Fails: tool.ExecutionError, Message: "full"},
	})
}
