package office

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/test/testmutate"
	"github.com/helve-dev/helve/tool"
)

const head = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`

// packed returns a document; names and contents of its parts alternate.
func packed(tb testing.TB, parts ...string) []byte {
	tb.Helper()
	var w bytes.Buffer
	z := zip.NewWriter(&w)
	for i := 0; i < len(parts); i += 2 {
		f, err := z.CreateHeader(&zip.FileHeader{Name: parts[i], Method: zip.Deflate})
		if err == nil {
			_, err = io.WriteString(f, head+parts[i+1])
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		tb.Fatal(err)
	}
	return w.Bytes()
}

func opened(tb testing.TB, data []byte) *Package {
	tb.Helper()
	p, err := Open(tb.Context(), bytes.NewReader(data), int64(len(data)))
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

const (
	sheetSpace = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	wordSpace  = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:mc="m"`
)

// workbook returns a workbook with one sheet of these rows.
func workbook(tb testing.TB, properties, rows string) []byte {
	tb.Helper()
	return packed(tb,
		"xl/workbook.xml",
		`<workbook `+sheetSpace+`>`+properties+
			`<sheets><sheet name="Data" sheetId="1" r:id="rId1"/><sheet name="Old" sheetId="2" state="hidden" r:id="rId2"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Target="/xl/worksheets/sheet2.xml"/></Relationships>`,
		"xl/sharedStrings.xml",
		`<sst `+sheetSpace+`><si><t>Name</t></si><si><r><t>Ann </t></r><r><rPr/><t>| Bee</t></r><rPh><t>x</t></rPh></si></sst>`,
		"xl/styles.xml", `<styleSheet `+sheetSpace+`><numFmts><numFmt numFmtId="164" formatCode="dd\.mm\.yyyy;@"/><numFmt numFmtId="165" formatCode="[h]:mm:ss"/><numFmt numFmtId="166" formatCode="0.00&quot; days&quot;"/></numFmts>
			<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="22"/><xf numFmtId="20"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/></cellXfs></styleSheet>`,
		"xl/worksheets/sheet1.xml", `<worksheet `+sheetSpace+`><cols><col/></cols><sheetData>`+rows+`</sheetData></worksheet>`,
		"xl/worksheets/sheet2.xml", `<worksheet `+sheetSpace+`><sheetData/></worksheet>`)
}

func TestWorkbook(t *testing.T) {
	book, err := opened(t, workbook(t, "", `
		<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>Day</t></is></c><c r="D1" t="str"><f>A1</f><v>Sum</v></c></row>
		<row r="3"><c r="A3" t="s"><v>1</v></c><c r="B3" s="1"><v>46023</v></c><c r="D3"><f>SUM(D4:D5)</f><v>0.30000000000000004</v></c></row>
		<row r="4"><c s="2"><v>46023.5</v></c><c s="3"><v>0.25</v></c><c r="D4" t="b"><v>1</v></c></row>
		<row r="5"><c r="A5" s="4"><v>1</v></c><c r="B5" s="5"><v>1.5</v></c><c r="D5" t="e"><v>#DIV/0!</v></c></row>
		<row r="6"><c r="A6" s="6"><v>2.5</v></c><c r="B6" s="1"><v>-1</v></c><c r="D6"><f>NOW()</f></c></row>
		<row r="7"><c r="A7" t="s"><v>99</v></c><c r="B7" t="d"><v>2026-01-01</v></c><c r="D7"><v>12345678901</v></c></row>`)).Book()
	if err != nil {
		t.Fatal(err)
	}
	want := []Sheet{{Name: "Data", part: "xl/worksheets/sheet1.xml"}, {Name: "Old", Hidden: true, part: "xl/worksheets/sheet2.xml"}}
	if diff := cmp.Diff(want, book.Sheets, cmp.AllowUnexported(Sheet{})); diff != "" {
		t.Errorf("sheets (-want +got):\n%s", diff)
	}
	table, err := book.Table(0)
	if err != nil {
		t.Fatal(err)
	}
	text := "| row | A | B | D |\n| --- | --- | --- | --- |\n" +
		"| 1 | Name | Day | Sum |\n| 3 | Ann \\| Bee | 2026-01-01 | 0.3 |\n| 4 | 2026-01-01 12:00:00 | 06:00:00 | TRUE |\n" +
		"| 5 | 1900-01-01 | 36:00:00 | #DIV/0! |\n| 6 | 2.5 | -1 | =NOW() |\n| 7 |  | 2026-01-01 | 12345678901 |"
	if diff := cmp.Diff(text, table.Text); diff != "" || table.Uncomputed != 1 || table.Rows != 6 || table.Columns != 3 || table.Cut {
		t.Errorf("%+v (-want +got):\n%s", table, diff)
	}
	if empty, err := book.Table(1); err != nil || empty.Text != "" {
		t.Errorf("an empty sheet: %+v, %v", empty, err)
	}
	book, err = opened(t,
		workbook(t, `<workbookPr date1904="1"/>`, `<row r="1"><c r="XFD1" s="1"><v>1</v></c><c r="ZZZZ1"><v>1</v></c></row>`)).Book()
	if err != nil {
		t.Fatal(err)
	}
	if table, err := book.Table(0); err != nil || table.Text != "| row | XFD |\n| --- | --- |\n| 1 | 1904-01-02 |" {
		t.Errorf("days from 1904 in the last column: %+v, %v", table, err)
	}
}

func TestColumns(t *testing.T) {
	for letters, n := range map[string]int{"A": 1, "Z": 26, "AA": 27, "AZ": 52, "XFD": maxColumns} {
		if columnOf(letters+"7") != n || lettersOf(n) != letters {
			t.Errorf("%s is column %d, and %d is %s", letters, columnOf(letters+"7"), n, lettersOf(n))
		}
	}
}

// document returns a text document with this body.
func document(tb testing.TB, body string) []byte {
	tb.Helper()
	return packed(tb,
		"word/document.xml", `<w:document `+wordSpace+`><w:body>`+body+`<w:sectPr/></w:body></w:document>`,
		"word/_rels/document.xml.rels",
		`<Relationships><Relationship Id="rId5" Target="https://a.example/" TargetMode="External"/></Relationships>`,
		"word/styles.xml", `<w:styles `+wordSpace+`><w:style w:styleId="H1"><w:name w:val="heading 1"/></w:style><w:style w:styleId="Mine"><w:basedOn w:val="H1"/></w:style><w:style w:styleId="loop"><w:basedOn w:val="loop"/></w:style></w:styles>`,
		"word/numbering.xml", `<w:numbering `+wordSpace+`><w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum><w:num w:numId="2"><w:abstractNumId w:val="7"/></w:num></w:numbering>`,
		"word/footnotes.xml", `<w:footnotes `+wordSpace+`><w:footnote w:type="separator" w:id="-1"><w:p/></w:footnote><w:footnote w:id="1"><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:footnote></w:footnotes>`)
}

func par(properties, text string) string {
	return `<w:p><w:pPr>` + properties + `</w:pPr><w:r><w:t xml:space="preserve">` + text + `</w:t></w:r></w:p>`
}

func item(level, text string) string {
	return par(`<w:numPr><w:ilvl w:val="`+level+`"/><w:numId w:val="2"/></w:numPr>`, text)
}

func TestDocument(t *testing.T) {
	doc, err := opened(t, document(t, par(`<w:pStyle w:val="H1"/>`, "Title")+par(`<w:pStyle w:val="Mine"/>`, "Other")+
		`<w:p><w:r><w:t>See </w:t></w:r><w:hyperlink r:id="rId5"><w:r><w:t>here</w:t></w:r></w:hyperlink><w:r><w:footnoteReference w:id="1"/></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>`+
		item("0", "one")+item("1", "inner")+item("0", "two")+
		`<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a|b</w:t></w:r></w:p></w:tc><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr><w:p/></w:tc></w:tr><w:tr><w:tc>`+
		par("", "c")+par("", "d")+`</w:tc></w:tr></w:tbl>`+
		`<w:p><w:r><mc:AlternateContent><mc:Choice><w:txbxContent>`+par("", "box")+`</w:txbxContent></mc:Choice><mc:Fallback><w:txbxContent>`+
		par("", "box")+`</w:txbxContent></mc:Fallback></mc:AlternateContent></w:r></w:p>`)).Document()
	want := "# Title\n\n# Other\n\nSee [here](https://a.example/)[^1]\n\n1. one\n    - inner\n2. two\n\n| a\\|b |  |  |\n| --- | --- | --- " +
		"|\n| c d |\n\nbox\n\n[^1]: A note."
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, doc.Text); diff != "" || doc.Cut {
		t.Errorf("%v (-want +got):\n%s", doc.Cut, diff)
	}
}

// TestHostile: what is too large or too deep is cut, and what is damaged has an error.
func TestHostile(t *testing.T) {
	cut := func(data []byte) (bool, error) {
		p := opened(t, data)
		if p.Kind == Text {
			doc, err := p.Document()
			return err == nil && doc.Cut, err
		}
		book, err := p.Book()
		if err != nil {
			return false, err
		}
		table, err := book.Table(0)
		return err == nil && table.Cut, err
	}
	for name, data := range map[string][]byte{
		"depth":      document(t, strings.Repeat("<w:sdt>", 100_000)),
		"skipped":    document(t, "<x>"+strings.Repeat("<w:x>", 100_000)),
		"attributes": document(t, "<w:p "+strings.Repeat(`a="" `, 1_000_000)),
		"text":       document(t, par("", strings.Repeat("x", maxText+1))),
		"cell":       workbook(t, "", `<row><c><v>`+strings.Repeat("1", maxText+1)),
		"row":        workbook(t, "", `<row>`+strings.Repeat("<c><v>1</v></c>", maxCells/4)+strings.Repeat("<c>", 1000)),
	} {
		if got, err := cut(data); !got {
			t.Errorf("%s: cut %v, %v", name, got, err)
		}
	}
	for name, data := range map[string][]byte{
		"no sheets":    packed(t, "xl/workbook.xml", "<workbook/>"),
		"not closed":   document(t, "<w:p>"),
		"no XML":       packed(t, "word/document.xml", "hello <"),
		"entity":       packed(t, "word/document.xml", `<!DOCTYPE a [<!ENTITY b "c">]><w:document><w:body>&b;</w:body></w:document>`),
		"lost a sheet": packed(t, "xl/workbook.xml", `<workbook `+sheetSpace+`><sheets><sheet name="x" r:id="no"/></sheets></workbook>`),
	} {
		if _, err := cut(data); err == nil || tool.AsError(err).Kind != tool.ValidationError {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Open(t.Context(), strings.NewReader("PK\x03\x04"), 4); tool.AsError(err) == nil ||
		tool.AsError(err).Kind != tool.ValidationError {
		t.Errorf("no zip file: %v", err)
	}
}

// TestUnpacked: the parts of a document together are bounded.
func TestUnpacked(t *testing.T) {
	p := opened(t, document(t, strings.Repeat(par("", "words"), 1000)))
	p.left = 4 << 10
	if doc, err := p.Document(); err != nil || !doc.Cut || !strings.HasPrefix(doc.Text, "words") {
		t.Errorf("%+v, %v", doc, err)
	}
	p = opened(t, document(t, ""))
	p.left = 100
	if _, err := p.Document(); tool.AsError(err) == nil || tool.AsError(err).Kind != tool.FileTooLarge {
		t.Errorf("styles that are larger than what is read: %v", err)
	}
}

func TestMutated(t *testing.T) {
	sheet := workbook(t, "", `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" s="2"><v>46023.5</v></c></row>`)
	text := document(t, par(`<w:pStyle w:val="H1"/>`, "Title")+item("0", "one")+`<w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>`)
	testmutate.Each(t, 200, [][]byte{sheet, text}, func(data []byte) {
		p, err := Open(t.Context(), bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		_, _ = p.Document()
		if book, err := p.Book(); err == nil {
			for i := range book.Sheets {
				_, _ = book.Table(i)
			}
		}
	})
	// Compression hides most changes in the checksum, so the parts are changed themselves.
	parts := [][]byte{
		[]byte(`<worksheet ` + sheetSpace +
			`><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" s="2"><v>46023.5</v></c></row></sheetData></worksheet>`),
	}
	testmutate.Each(t, 200, parts, func(data []byte) {
		doc := packed(t, "xl/workbook.xml", `<workbook `+sheetSpace+`><sheets><sheet name="x" r:id="a"/></sheets></workbook>`,
			"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="a" Target="s.xml"/></Relationships>`, "xl/s.xml", string(data))
		if book, err := opened(t, doc).Book(); err == nil {
			_, _ = book.Table(0)
		}
	})
	bodies := [][]byte{[]byte(par(`<w:pStyle w:val="H1"/>`, "Title") + item("0", "one") + `<w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>`)}
	testmutate.Each(t, 200, bodies, func(data []byte) { _, _ = opened(t, document(t, string(data))).Document() })
}
