package pdf

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/lib/pdftext"
	"github.com/helve-dev/helve/internal/lib/pdftext/pdftest"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func readResult(t *testing.T, res tool.Result) (r readPDFResult) {
	t.Helper()
	if err := json.Unmarshal(res.Value, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// hostile lists documents that are expensive to read, and whether they have text
// nevertheless.
func hostile(t *testing.T) map[string]string {
	t.Helper()
	catalogue, page := "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>"
	nested := strings.Repeat("[", 200_000)
	form := "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 4 0 R>>>>"
	whole := pdftest.ManyPages(3)
	return map[string]string{
		"circle of pages":    pdftest.Raw(catalogue, "<</Type/Pages/Kids[2 0 R 2 0 R]/Count 2>>"),
		"circle of nodes":    pdftest.Raw(catalogue, "<</Type/Pages/Kids[3 0 R]/Count 9>>", "<</Type/Pages/Kids[2 0 R]/Count 9>>"),
		"count that lies":    pdftest.Raw(catalogue, "<</Type/Pages/Kids[3 0 R]/Count 2000000000>>", page),
		"negative count":     pdftest.Raw(catalogue, "<</Type/Pages/Kids[3 0 R]/Count -5>>", page),
		"no pages":           pdftest.Raw(catalogue, "<</Type/Pages/Kids[]/Count 0>>"),
		"circle of sections": strings.Replace(whole, "/Root 1 0 R", fmt.Sprintf("/Root 1 0 R/Prev %d", strings.Index(whole, "xref\n0")), 1),
		"nested":             pdftest.Raw(catalogue, "<</Type/Pages/Kids[3 0 R]/Count 1>>", "<</Type/Page/Parent 2 0 R/Contents "+nested+">>"),
		"nested content":     pdftest.OnePage(packed(t, "", strings.NewReader(strings.Repeat(nested, 20)))),
		"form in itself":     pdftest.OnePage(pdftest.Stream(form, "/X Do /X Do /X Do")),
		"bomb":               pdftest.OnePage(packed(t, "", strings.NewReader(strings.Repeat(" ", 40<<20)))),
		"own length":         pdftest.OnePage("<</Length 4 0 R>>\nstream\nx\nendstream"),
		"huge table":         strings.Replace(whole, "xref\n0", "xref\n999999999999", 1),
		"huge size": "%PDF-1.7\n1 0 obj\n<</Type/XRef/Size 99999999999/W[1 8 8]/Index[0 99999999999]/Root 1 0 R/Length 0>>stream\n\n" +
			"endstream\nendobj\nstartxref\n9\n%%EOF\n",
		"cut":           whole[:len(whole)/2],
		"only a header": "%PDF-1.7\n",
		"rubbish":       "%PDF-1.7\n" + strings.Repeat("\x00\xff<<>>[]()obj", 10_000),
	}
}

func TestReadPDF(t *testing.T) {
	both(t, func(t *testing.T, b *bench) {
		b.write(t, "three.pdf", pdftest.ManyPages(3))
		b.write(t, "-f.pdf", pdftest.ManyPages(1))
		b.write(t, "new\nline's.pdf", pdftest.ManyPages(1))
		b.write(t, "notes.txt", "hello")
		b.write(t, "empty.pdf", "")
		b.write(t, "secret.pdf", protected(t, "pass"))
		b.write(t, "open.pdf", protected(t, ""))
		b.write(t, "scan.pdf", pdftest.OnePage(pdftest.Stream("", "0 0 m 9 9 l S")))
		text := func(want string) func(*testing.T, tool.Result) {
			return func(t *testing.T, res tool.Result) {
				if r := readResult(t, res); r.Text != want || r.Truncated || !strings.HasPrefix(res.Text, want) {
					t.Errorf("text %q, want %q", r.Text, want)
				}
			}
		}
		tooltest.Run(t, Set, "read_pdf", b.call, []tooltest.Case{
			{Name: "all", Args: `{"path":"three.pdf"}`, Check: func(t *testing.T, res tool.Result) {
				text("This is page 1\n\nThis is page 2\n\nThis is page 3")(t, res)
				if r := readResult(t, res); r.PageCount != 3 || r.Pages != "1-3" || r.Path != "three.pdf" || r.Size == 0 ||
					!strings.HasSuffix(r.Modified, "Z") {
					t.Errorf("result %s", res.Value)
				}
			}},
			{Name: "one", Args: `{"path":"three.pdf","pages":"2"}`, Check: text("This is page 2")},
			{Name: "some", Args: `{"path":"three.pdf","pages":"3, 1"}`, Check: text("This is page 1\n\nThis is page 3")},
			{Name: "past the end", Args: `{"path":"three.pdf","pages":"2-99"}`, Check: text("This is page 2\n\nThis is page 3")},
			{Name: "last", Args: `{"path":"three.pdf","pages":"last"}`, Check: text("This is page 3")},
			{Name: "like an option", Args: `{"path":"-f.pdf"}`, Check: text("This is page 1")},
			{Name: "odd name", Args: `{"path":"new\nline's.pdf"}`, Check: text("This is page 1")},
			{Name: "encrypted without a password", Args: `{"path":"open.pdf"}`, Check: func(t *testing.T, res tool.Result) {
				text("hidden words")(t, res)
				if !readResult(t, res).Metadata.Encrypted {
					t.Errorf("result %s does not say that it is encrypted", res.Value)
				}
			}},
			{Name: "no text", Args: `{"path":"scan.pdf"}`, Check: func(t *testing.T, res tool.Result) {
				if r := readResult(t, res); r.Text != "" || !strings.Contains(r.Warning, "scanned") {
					t.Errorf("result %s", res.Value)
				}
			}},
			{Name: "none of its pages", Args: `{"path":"three.pdf","pages":"4"}`, Fails: tool.ValidationError, Message: "has 3 page(s)"},
			{Name: "page 0", Args: `{"path":"three.pdf","pages":"0"}`, Fails: tool.ValidationError, Message: "pages"},
			{Name: "turned round", Args: `{"path":"three.pdf","pages":"3-1"}`, Fails: tool.ValidationError, Message: "pages"},
			{Name: "words", Args: `{"path":"three.pdf","pages":"some"}`, Fails: tool.ValidationError, Message: "pages"},
			{Name: "no PDF", Args: `{"path":"notes.txt"}`, Fails: tool.ValidationError, Message: "not a PDF"},
			{Name: "empty", Args: `{"path":"empty.pdf"}`, Fails: tool.ValidationError, Message: "not a PDF"},
			{Name: "encrypted", Args: `{"path":"secret.pdf"}`, Fails: tool.Unsupported, Message: "password"},
			{Name: "missing", Args: `{"path":"no.pdf"}`, Fails: tool.FileNotFound},
			{Name: "outside", Args: `{"path":"../x.pdf"}`, Fails: tool.PathNotAllowed},
			{Name: "directory", Args: `{"path":"."}`, Fails: tool.ValidationError},
			{Name: "no path", Args: `{}`, Fails: tool.ValidationError, Message: "path"},
		})
	})
}

// A hostile document gets an answer or an error within the tool's timeout.
func TestReadPDFHostile(t *testing.T) {
	documents := hostile(t)
	both(t, func(t *testing.T, b *bench) {
		var cases []tooltest.Case
		for name, data := range documents {
			file := strings.ReplaceAll(name, " ", "_") + ".pdf"
			b.write(t, file, data)
			cases = append(cases, tooltest.Case{Name: name, Args: fmt.Sprintf(`{"path":%q}`, file)})
		}
		for _, c := range cases {
			inv, err := Set.Tools()[2].Bind(json.RawMessage(c.Args))
			if err != nil {
				t.Fatal(err)
			}
			call := b.call
			res, err := inv.Run(t.Context(), &call)
			switch failure := tool.AsError(err); {
			case err == nil && len(res.Value) > maxText+10_000:
				t.Errorf("%s: a result of %d bytes", c.Name, len(res.Value))
			case err != nil && failure.Kind != tool.ExecutionError:
				t.Errorf("%s: error %v, want %s", c.Name, err, tool.ExecutionError)
			}
		}
	})
}

func TestReadPDFMany(t *testing.T) {
	data := pdftest.ManyPages(10_000)
	both(t, func(t *testing.T, b *bench) {
		b.write(t, "many.pdf", data)
		b.write(t, "long.pdf",
			samePages(2000, "BT /F 9 Tf 9 TL 9 780 Td "+strings.Repeat("(lorem ipsum dolor sit amet, consectetur adipiscing elit) Tj T* ", 15)+"ET"))
		tooltest.Run(t, Set, "read_pdf", b.call, []tooltest.Case{
			{Name: "10,000 pages", Args: `{"path":"many.pdf","pages":"1,5000-5001,10000"}`, Check: func(t *testing.T, res tool.Result) {
				if r := readResult(t, res); r.PageCount != 10_000 ||
					r.Text != "This is page 1\n\nThis is page 5000\n\nThis is page 5001\n\nThis is page 10000" {
					t.Errorf("%d pages, text %q", r.PageCount, r.Text)
				}
			}},
			{Name: "too much text", Args: `{"path":"long.pdf"}`, Check: func(t *testing.T, res tool.Result) {
				if r := readResult(t, res); !r.Truncated || !res.Truncated || len(r.Text) > maxText || !strings.Contains(r.Warning, "was cut") {
					t.Errorf("%d bytes of text, truncated %v, warning %q", len(r.Text), r.Truncated, r.Warning)
				}
			}},
		})
	})
}

const grid = "BT /F 12 Tf 1 0 0 1 72 700 Tm (Name) Tj 1 0 0 1 250 700 Tm (Amount) Tj 1 0 0 1 72 680 Tm (apples) Tj 1 0 0 1 250 680 Tm " +
	"(12) Tj 1 0 0 1 72 660 Tm (fresh pears) Tj 1 0 0 1 250 660 Tm (7) Tj 1 0 0 1 72 600 Tm (That was all.) Tj ET"

func TestReadPDFTables(t *testing.T) {
	both(t, func(t *testing.T, b *bench) {
		b.write(t, "grid.pdf", pdftest.OnePage(pdftest.Stream("", grid)))
		b.write(t, "none.pdf", pdftest.ManyPages(1))
		tooltest.Run(t, Set, "read_pdf", b.call, []tooltest.Case{
			{Name: "table", Args: `{"path":"grid.pdf","extractTables":true}`, Check: func(t *testing.T, res tool.Result) {
				if !strings.Contains(string(res.Value), `"tables":[{"page":1,"rows":[["Name","Amount"],["apples","12"],["fresh pears","7"]]}]`) {
					t.Errorf("result %s", res.Value)
				}
			}},
			{Name: "none", Args: `{"path":"none.pdf","extractTables":true}`, Check: func(t *testing.T, res tool.Result) {
				if !strings.Contains(string(res.Value), `"tables":[]`) {
					t.Errorf("result %s", res.Value)
				}
			}},
			{Name: "not asked for", Args: `{"path":"grid.pdf"}`, Check: func(t *testing.T, res tool.Result) {
				if strings.Contains(string(res.Value), `"tables"`) {
					t.Errorf("result %s", res.Value)
				}
			}},
		})
	})
}

func TestReadPDFImages(t *testing.T) {
	picture := pdftest.Raw("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>",
		pdftest.Stream("", "9 0 0 9 0 0 cm /I Do"),
		pdftest.Stream("/Type/XObject/Subtype/Image/Width 2/Height 3/ColorSpace/DeviceGray/BitsPerComponent 8", "abcdef"))
	t.Run("poppler", func(t *testing.T) {
		needPoppler(t)
		b := newBench(t, "")
		b.write(t, "i.pdf", picture)
		b.write(t, "none.pdf", pdftest.ManyPages(1))
		tooltest.Run(t, Set, "read_pdf", b.call, []tooltest.Case{
			{Name: "one", Args: `{"path":"i.pdf","extractImages":true}`, Check: func(t *testing.T, res tool.Result) {
				if !strings.Contains(string(res.Value),
					`"images":[{"page":1,"width":2,"height":3,"format":"image"}],"imageCount":1,"note":"1 image(s)`) {
					t.Errorf("result %s", res.Value)
				}
			}},
			{Name: "none", Args: `{"path":"none.pdf","extractImages":true}`, Check: func(t *testing.T, res tool.Result) {
				if !strings.Contains(string(res.Value), `"images":[]`) {
					t.Errorf("result %s", res.Value)
				}
			}},
		})
	})
	t.Run("parser", func(t *testing.T) {
		b := newBench(t, t.TempDir())
		b.write(t, "i.pdf", picture)
		tooltest.Run(t, Set, "read_pdf", b.call, []tooltest.Case{
			{Name: "not listed", Args: `{"path":"i.pdf","extractImages":true}`, Check: func(t *testing.T, res tool.Result) {
				if !strings.Contains(string(res.Value), "Images were not listed") {
					t.Errorf("result %s", res.Value)
				}
			}},
		})
	})
}

// Without poppler the size is limited.
func TestReadPDFLarge(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.write(t, "large.pdf", "%PDF-1.7\n"+strings.Repeat(" ", pdftext.MaxSize))
	for _, name := range []string{"read_pdf", "pdf_info"} {
		tooltest.Run(t, Set, name, b.call, []tooltest.Case{
			{Name: name, Args: `{"path":"large.pdf"}`, Fails: tool.FileTooLarge, Message: "poppler-utils"},
		})
	}
}
