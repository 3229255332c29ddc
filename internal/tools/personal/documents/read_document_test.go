package documents

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/internal/test/testmutate"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

const (
	letter = "From: Ann <ann@example.com>\r\nTo: bob@example.com\r\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\nDate: " +
		"Mon, 23 Nov 2026 10:00:00 +0100\r\nMIME-Version: 1.0\r\n" +
		"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>Hello <b>Bob</b></p>\r\n--b\r\n" +
		"Content-Type: text/plain; name=a.txt\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\nfive!\r\n--b--\r\n"
	letterText = "From: Ann <ann@example.com>\nTo: bob@example.com\nDate: 2026-11-23T10:00:00+01:00\nSubject: Grüße\n\nHello Bob"
	mbox       = "From ann@example.com Mon Nov 23 10:00:00 2026\nFrom: ann@example.com\nSubject: One\nDate: " +
		"Mon, 23 Nov 2026 10:00:00 +0100\n\nFirst.\n\n>From the start.\nFrom no new message\n\n" +
		"From bob@example.com Tue Nov 24 10:00:00 2026\nFrom: bob@example.com\nSubject: Two\n\nSecond.\n"
)

// book returns a workbook with two sheets.
func book(t *testing.T) string {
	t.Helper()
	return zipped(t,
		entry{
			name: "xl/workbook.xml",
			text: `<workbook xmlns:r="r"><sheets><sheet name="First" r:id="a"/><sheet name="Second" r:id="b"/></sheets></workbook>`,
		},
		entry{
			name: "xl/_rels/workbook.xml.rels",
			text: `<Relationships><Relationship Id="a" Target="a.xml"/><Relationship Id="b" Target="b.xml"/></Relationships>`,
		},
		entry{name: "xl/a.xml", text: `<worksheet><sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData></worksheet>`},
		entry{
			name: "xl/b.xml", text: `<worksheet><sheetData><row r="2"><c r="B2" t="inlineStr"><is><t>x</t></is></c></row></sheetData></worksheet>`,
		})
}

func TestReadDocument(t *testing.T) {
	ole := "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 504)
	contents := map[string]string{
		"book": book(t),
		"text.docx": zipped(t, entry{
			name: "word/document.xml", text: `<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>Hello</w:t></w:r></w:p></w:body></w:document>`,
		}),
		"mail": letter, "box": mbox, "a.eml": "Subject: only\n\nx", "empty.eml": "",
		"x.svg": `<?xml version="1.0" encoding="iso-8859-1"?><!-- c --><a xmlns:p="urn:x" k="1&quot;"><p:b>` + "\xe4" +
			` &amp; b</p:b>tail<c/></a>`,
		"e.xml": `<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;">]><a>&c;</a>`, "bad.xml": "<a><b></a>",
		"u16.xml": "\xff\xfe" + string(wide(`<?xml version="1.0" encoding="UTF-16"?><a>x</a>`)),
		"a.yaml":  "# c\nname: x\nn: 0x10\nok: true\nnone: ~\nwhen: 2026-01-01\nbase: &b {k: [1, 2.5]}\ncopy: *b\n? [1]\n: odd\n---\nsecond\n",
		"bad.yml": "a: [", "empty.yaml": "",
		"page": "<!DOCTYPE html><p>x", "notes": "Just text.", "a.pdf": "%PDF-1.4", "a.gz": "\x1f\x8b\x08", "old.doc": ole,
		"locked.xlsx": ole + string(wide("EncryptedPackage")),
		"a.zip":       zipped(t, entry{name: "x", text: "x"}), "a.pptx": zipped(t, entry{name: "ppt/presentation.xml", text: "<p/>"}),
	}
	files := disk(t, contents)
	want := func(name, format, text, more string) tooltest.Case {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		path, args, _ := strings.Cut(name, " ")
		return tooltest.Case{
			Name: name, Args: fmt.Sprintf(`{"path":%q%s}`, path, args),
			Want: fmt.Sprintf(`{"path":%q,"format":%q,"text":%s,"chars":%d,"offset":0,"truncated":false,"size":%d%s}`,
				path, format, quoted, len([]rune(text)), len(contents[path]), more),
		}
	}
	list := "2 messages; part reads one by its number.\n\n1. 2026-11-23T10:00:00+01:00 · ann@example.com · One\n2. bob@example.com · Two"
	summaries := `,"partCount":2,"parts":["2026-11-23T10:00:00+01:00 · ann@example.com · One","bob@example.com · Two"]`
	refused := func(name string, kind tool.Kind, message string) tooltest.Case {
		path, args, _ := strings.Cut(name, " ")
		return tooltest.Case{Name: name, Args: fmt.Sprintf(`{"path":%q%s}`, path, args), Fails: kind, Message: message}
	}
	tooltest.Run(t, Set, "read_document", tool.Call{Files: files}, []tooltest.Case{
		want("book", "xlsx", "| row | A |\n| --- | --- |\n| 1 | 1 |", `,"part":"First","parts":["First","Second"],"partCount":2`),
		want(`book ,"part":"2"`, "xlsx", "| row | B |\n| --- | --- |\n| 2 | x |", `,"part":"Second","parts":["First","Second"],"partCount":2`),
		want(`book ,"part":"Second"`,
			"xlsx", "| row | B |\n| --- | --- |\n| 2 | x |", `,"part":"Second","parts":["First","Second"],"partCount":2`),
		want("text.docx", "docx", "Hello", `,"partCount":1`),
		want("mail", "eml", letterText, `,"partCount":1,"attachments":[{"name":"a.txt","type":"text/plain","size":5}]`),
		want("a.eml", "eml", "Subject: only\n\nx", `,"partCount":1`),
		want("box", "mbox", list, summaries),
		want(`box ,"part":"1"`,
			"mbox", "From: ann@example.com\nDate: 2026-11-23T10:00:00+01:00\nSubject: One\n\nFirst.\n\nFrom the start.\nFrom no new message",
			`,"part":"1","partCount":2`),
		want(`box ,"part":"2"`, "mbox", "From: bob@example.com\nSubject: Two\n\nSecond.", `,"part":"2","partCount":2`),
		want("x.svg", "xml", "<a xmlns:p=\"urn:x\" k=\"1&quot;\">\n  <b>ä &amp; b</b>\n  tail\n  <c></c>\n</a>", `,"partCount":1`),
		want("e.xml", "xml", "<a>&c;</a>", `,"partCount":1`),
		want("u16.xml", "xml", "<a>x</a>", `,"partCount":1`),
		want("a.yaml", "yaml",
			"{\n  \"name\": \"x\",\n  \"n\": 16,\n  \"ok\": true,\n  \"none\": null,\n  \"when\": \"2026-01-01\","+
				"\n  \"base\": {\n    \"k\": [\n      1,\n      2.5\n    ]\n  },\n  \"copy\": {\n    \"k\": [\n      1,\n      2.5\n    ]\n  },"+
				"\n  \"[\\n    1\\n  ]\": \"odd\"\n}",
			`,"part":"1","partCount":2`),
		want(`a.yaml ,"part":"2"`, "yaml", `"second"`, `,"part":"2","partCount":2`),
		refused(`book ,"part":"Third"`, tool.NotFound, "its sheets are First, Second"),
		refused(`box ,"part":"3"`, tool.NotFound, "from 1 to 2"),
		refused(`text.docx ,"part":"2"`, tool.NotFound, "no parts"),
		refused(`text.docx ,"offset":5`, tool.ValidationError, "past the end"),
		refused("bad.xml", tool.ValidationError, "line 1"),
		refused("bad.yml", tool.ValidationError, "not YAML"),
		refused("empty.yaml", tool.ValidationError, "empty"),
		refused("empty.eml", tool.ValidationError, "is empty"),
		refused("page", tool.Unsupported, "read_file"),
		refused("notes", tool.Unsupported, "read_file"),
		refused("a.pdf", tool.Unsupported, "read_pdf"),
		refused("a.gz", tool.Unsupported, "extract_archive"),
		refused("a.zip", tool.Unsupported, "list_archive"),
		refused("a.pptx", tool.Unsupported, "PowerPoint"),
		refused("old.doc", tool.Unsupported, "before 2007"),
		refused("locked.xlsx", tool.Unsupported, "encrypted"),
		refused("missing", tool.FileNotFound, ""),
		refused("../x", tool.PathNotAllowed, ""),
		{Name: "no path", Args: `{}`, Fails: tool.ValidationError, Message: "path"},
	})
}

func readTool(t *testing.T) *tool.Tool {
	t.Helper()
	for _, tl := range Set.Tools() {
		if tl.Name == "read_document" {
			return tl
		}
	}
	t.Fatal("there is no read_document")
	return nil
}

// TestMailsAreUntrusted: a saved mail comes from outside as one of a mailbox does.
func TestMailsAreUntrusted(t *testing.T) {
	files := disk(t, map[string]string{"mail": letter, "book": book(t)})
	for name, want := range map[string]bool{"mail": true, "book": false} {
		out, err := tooltest.Play(t.Context(), readTool(t), tool.Call{Files: files}, fmt.Sprintf(`{"path":%q}`, name))
		if err != nil || strings.Contains(out.Text+strings.Join(out.Notes, " "), outward.Untrusted) != want {
			t.Errorf("%s: %q, %q, %v", name, out.Text, out.Notes, err)
		}
	}
}

// TestReadOn: a long text is read in parts that join.
func TestReadOn(t *testing.T) {
	text := strings.Repeat("ä", maxChars) + "end"
	files := disk(t, map[string]string{"a.eml": "Subject: x\n\n" + text})
	var all strings.Builder
	for offset, rounds := 0, 0; rounds < 3; rounds++ {
		out, err := tooltest.Play(t.Context(), readTool(t), tool.Call{Files: files}, fmt.Sprintf(`{"path":"a.eml","offset":%d}`, offset))
		var res readDocumentResult
		if err == nil {
			err = json.Unmarshal(out.Value, &res)
		}
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(res.Text)
		offset += len([]rune(res.Text))
		if !res.Truncated {
			break
		}
	}
	if diff := cmp.Diff("Subject: x\n\n"+text, all.String()); diff != "" {
		t.Error("the parts do not join")
	}
}

// TestReadInTurn: no more documents are read at a time than there are processors, and a call
// that waits for its turn ends when it is over.
func TestReadInTurn(t *testing.T) {
	for range cap(reading) {
		done, err := beginReading(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer done()
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tooltest.Play(ended, readTool(t), tool.Call{Files: tooltest.Files{"a.yaml": "a: 1"}}, `{"path":"a.yaml"}`); !errors.Is(err,
		context.Canceled) {
		t.Errorf("without a turn: %v", err)
	}
}

// TestDataBombs: aliases that grow and refer to themselves, and deep and long documents, are
// cut, and take no time.
func TestDataBombs(t *testing.T) {
	var laughs strings.Builder
	laughs.WriteString("a0: &a0 [x, x]\n")
	for i := range 40 {
		fmt.Fprintf(&laughs, "a%d: &a%d [*a%d, *a%d, *a%d]\n", i+1, i+1, i, i, i)
	}
	files := disk(t, map[string]string{
		"laughs.yaml": laughs.String(), "self.yaml": "a: &a [*a, *a]\n", "keys.yaml": strings.Repeat("? ", 60) + "x\n",
		"deep.yaml": strings.Repeat("[", 5000) + strings.Repeat("]", 5000), "deep.xml": strings.Repeat("<a>", 100_000),
		"long.xml": "<a>" + strings.Repeat("<b c='dddddddddd'/>", 500_000) + "</a>", "tag.xml": "<a " + strings.Repeat("a='' ", 100_000),
		"entities.xml": "<!DOCTYPE a [" + strings.Repeat(`<!ENTITY a "&b;"><!ENTITY b "&a;">`, 1000) + "]><a>&a;</a>",
	})
	for name, cut := range map[string]bool{
		"laughs.yaml": true, "self.yaml": true, "keys.yaml": true, "deep.yaml": true, "deep.xml": true, "long.xml": true, "tag.xml": true,
		"entities.xml": false,
	} {
		out, err := tooltest.Play(t.Context(), readTool(t), tool.Call{Files: files}, fmt.Sprintf(`{"path":%q}`, name))
		var res readDocumentResult
		if err == nil {
			err = json.Unmarshal(out.Value, &res)
		}
		if err != nil || res.Cut != cut {
			t.Errorf("%s: cut %v, %v, want %v", name, res.Cut, err, cut)
		}
	}
}

func TestReadMutated(t *testing.T) {
	for name, seeds := range map[string][][]byte{
		"a.eml": {[]byte(letter)}, "box": {[]byte(mbox)},
		"a.xml":  {[]byte(`<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a k="v"><![CDATA[x]]><b>&b;</b></a>`)},
		"a.yaml": {[]byte("a: &b {k: [1, 2.5]}\nc: *b\n? [1]\n: |\n  text\n---\n!!binary x\n")}, "a.xlsx": {[]byte(book(t))},
	} {
		testmutate.Each(t, 200, seeds, func(data []byte) {
			_, err := tooltest.Play(t.Context(), readTool(t), tool.Call{Files: tooltest.Files{name: string(data)}},
				fmt.Sprintf(`{"path":%q,"part":"1"}`, name))
			if e := tool.AsError(err); err != nil && e.Kind == tool.Internal {
				t.Errorf("%s: %v of %.500q", name, err, bytes.TrimSpace(data))
			}
		})
	}
}
