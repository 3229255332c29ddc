package pdf

import (
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/lib/pdftext/pdftest"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestPDFInfo(t *testing.T) {
	both(t, func(t *testing.T, b *bench) {
		b.write(t, "info.pdf",
			withInfo(t, "<</Title(Plans)/Author<FEFF041F04350442044004>/Producer(hand)/CreationDate(D:20260102030405+01'00')>>"))
		b.write(t, "false.pdf", withInfo(t, `<</Title(A title\nPages: 77\nEncrypted: yes)>>`))
		b.write(t, "ten.pdf", pdftest.ManyPages(10))
		b.write(t, "secret.pdf", protected(t, "pass"))
		b.write(t, "open.pdf", protected(t, ""))
		b.write(t, "cut.pdf", "%PDF-1.7\nnothing")
		b.write(t, "no.txt", "no")
		holds := func(parts ...string) func(*testing.T, tool.Result) {
			return func(t *testing.T, res tool.Result) {
				for _, part := range parts {
					if !strings.Contains(string(res.Value), part) {
						t.Errorf("result %s, want it to hold %s", res.Value, part)
					}
				}
			}
		}
		tooltest.Run(t, Set, "pdf_info", b.call, []tooltest.Case{
			{
				Name: "info",
				Args: `{"path":"info.pdf"}`,
				Check: holds(`"pageCount":1`, `"info":{"Title":"Plans","Author":"Петр`, `"CreationDate":"2026-01-02T03:04:05+01:00"`,
					`"metadata":{"Producer":"hand"`, `"PDFFormatVersion":"1.7"`, `"PageSize":"612 x 792 pts`, `"Encrypted":false`),
			},
			{Name: "a title that says more", Args: `{"path":"false.pdf"}`, Check: holds(`"pageCount":1`, `"Encrypted":false`)},
			{Name: "pages", Args: `{"path":"ten.pdf"}`, Check: holds(`{"path":"ten.pdf","size":`, `"pageCount":10`, `"info":{}`)},
			{Name: "encrypted without a password", Args: `{"path":"open.pdf"}`, Check: holds(`"Encrypted":true`)},
			{Name: "encrypted", Args: `{"path":"secret.pdf"}`, Fails: tool.Unsupported, Message: "password"},
			{Name: "damaged", Args: `{"path":"cut.pdf"}`, Fails: tool.ExecutionError, Message: "damaged"},
			{Name: "no PDF", Args: `{"path":"no.txt"}`, Fails: tool.ValidationError, Message: "not a PDF"},
			{Name: "missing", Args: `{"path":"x.pdf"}`, Fails: tool.FileNotFound},
			{Name: "outside", Args: `{"path":"/etc/passwd"}`, Fails: tool.PathNotAllowed},
			{Name: "no path", Args: `{}`, Fails: tool.ValidationError, Message: "path"},
		})
	})
}

// withInfo returns a document of one empty page with an info dictionary.
func withInfo(t testing.TB, info string) string {
	t.Helper()
	doc := pdftest.Raw("<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>", "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]>>", info)
	return strings.Replace(doc, "/Root 1 0 R", "/Root 1 0 R/Info 4 0 R", 1)
}

func TestParseInfo(t *testing.T) {
	f := parseInfo("Title:          x\nno colon\nPages: many\nPages:  3\nAuthor:\nProducer: " + strings.Repeat("é", 2000) + "\n")
	if f.pages != 3 || f.info.Title != "x" || f.info.Author != "" || len(f.info.Producer) > 1010 {
		t.Errorf("parseInfo: %s", fmt.Sprint(f))
	}
}
