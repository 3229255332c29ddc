package pdftext

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"

	"github.com/helve-dev/helve/internal/lib/pdftext/pdftest"
	"github.com/helve-dev/helve/internal/test/testmutate"
)

// page1 returns the text of a document's first page, read without poppler.
func page1(t *testing.T, document string) string {
	t.Helper()
	doc, err := Parse(t.Context(), []byte(document))
	if err != nil {
		t.Fatal(err)
	}
	text, err := doc.Text(t.Context(), 1<<20, func(page int) bool { return page == 1 })
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(text.Pages, "")
}

// fonted returns a document whose page uses a font of its own.
func fonted(content, font string, more ...string) string {
	objects := []string{
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1/Resources<</Font<</F 5 0 R>>/XObject<</X 6 0 R>>>>>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents[4 0 R]>>", pdftest.Stream("", content), font,
	}
	return pdftest.Raw(append(objects, more...)...)
}

func TestContent(t *testing.T) {
	const wide = "<</Type/Font/Subtype/Type0/Encoding/Identity-H/ToUnicode 6 0 R/DescendantFonts[<</DW 500/W[1[400 600]3 9 700]>>]>>"
	const bytewise = "<</Type/Font/Subtype/TrueType/FirstChar 65/Widths[500 500 500]/ToUnicode 6 0 R>>"
	cmap := func(s string) string {
		return pdftest.Stream("",
			"/CIDInit/ProcSet findresource begin begincmap 1 begincodespacerange<0000><FFFF>endcodespacerange "+s+" endcmap")
	}
	for _, tt := range []struct{ name, document, want string }{
		{"lines", fonted("BT /F 10 Tf 9 700 Td (one) Tj 0 -12 Td (two) Tj T* 0 -40 Td (three) Tj ET", pdftest.Helvetica), "one\ntwo\n\nthree"},
		{
			"operators of lines", fonted("BT /F 10 Tf 12 TL 9 700 Td (a) Tj (b) ' 1 2 (c) \" 0 -12 TD (d) Tj T* (e) Tj ET", pdftest.Helvetica),
			"a\nb\nc\nd\ne",
		},
		{"spaces by distance", fonted("BT /F 10 Tf 9 700 Td [(Hel)20(lo)-400(world)] TJ ET", pdftest.Helvetica), "Hello world"},
		{"escapes", fonted(`BT /F 10 Tf (\(a\)\\\101\12b\
c <\x>) Tj (x(y)z) Tj <4A4b4> Tj ET`, pdftest.Helvetica), `(a)\Abc <x>x(y)zJK@`},
		{"comments and images", fonted("% (no) Tj\nBI /W 1 ID (junk) Tj EI BT /F 10 Tf (yes) Tj ET", pdftest.Helvetica), "yes"},
		{"encodings", fonted("BT /F 10 Tf (\\200\\344) Tj ET", pdftest.Helvetica), "€ä"},
		{"MacRoman", fonted("BT /F 10 Tf (\\212) Tj ET", strings.Replace(pdftest.Helvetica, "WinAnsi", "MacRoman", 1)), "ä"},
		{
			"differences",
			fonted("BT /F 10 Tf (abcdefg) Tj ET",
				"<</Type/Font/Subtype/Type1/Encoding<</Differences[97/eacute/uni0416/fi/Euro 101/a.alt/nosuch]>>>>"),
			"éЖfi€a�g",
		},
		{
			"wide",
			fonted("BT /F 10 Tf <000100020003> Tj ET",
				wide, cmap("2 beginbfchar<0001><0416><0002><D83DDE00>endbfchar 1 beginbfrange<0003><0005><0041>endbfrange")),
			"Ж😀A",
		},
		{
			"ranges of arrays",
			fonted("BT /F 10 Tf <000400050006> Tj ET", wide, cmap("1 beginbfrange<0004><0005>[<0066><00660069>]endbfrange")), "ffi�",
		},
		{"identity", fonted("BT /F 10 Tf <041F0440> Tj ET", wide, cmap("1 beginbfrange<0000><FFFF><0000>endbfrange")), "Пр"},
		{
			"bytes",
			fonted("BT /F 10 Tf (AB) Tj ET",
				bytewise, pdftest.Stream("", "1 begincodespacerange<00><FF>endcodespacerange 1 beginbfchar<41><0058>endbfchar")),
			"XB",
		},
		{
			"bytes, with a map of two",
			fonted("BT /F 10 Tf (AB) Tj ET", bytewise, cmap("1 beginbfchar<0041><0058>endbfchar 1 beginbfrange<0042><0043><0059>endbfrange")), "XY",
		},
		{"bytes that are not in the map", fonted("BT /F 10 Tf (AB) Tj ET", bytewise, cmap("1 beginbfchar<0041><0058>endbfchar")), "XB"},
		{"wide, not in the map", fonted("BT /F 10 Tf <00010009> Tj ET", wide, cmap("1 beginbfchar<0001><0041>endbfchar")), "A�"},
		{"wide without a map", fonted("BT /F 10 Tf <0001> Tj ET", strings.Replace(wide, "/ToUnicode 6 0 R", "", 1)), "�"},
		{
			"form",
			fonted("q 1 0 0 1 9 9 cm /X Do Q BT /F 10 Tf 9 90 Td (out) Tj ET",
				pdftest.Helvetica, pdftest.Stream("/Subtype/Form/Matrix[1 0 0 1 0 500]", "BT /F 10 Tf (in) Tj ET")),
			"in\n\nout",
		},
		{"no font", fonted("BT (lost) Tj ET", pdftest.Helvetica), ""},
		{"too many Q", fonted("Q Q q BT /F 10 Tf (x) Tj ET Q Q Q", pdftest.Helvetica), "x"},
		{
			"columns", pdftest.OnePage(pdftest.Stream("", "BT /F 12 Tf 1 0 0 1 72 700 Tm (Name) Tj 1 0 0 1 250 700 Tm (Amount) Tj ET")),
			"Name   Amount",
		},
	} {
		if got := page1(t, tt.document); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func FuzzContent(f *testing.F) {
	f.Add([]byte("BT /F 10 Tf [(a)-300<4142>] TJ ET"))
	f.Add([]byte("1 begincodespacerange<00><FF>endcodespacerange 1 beginbfrange<00><ff>[<0041>]endbfrange"))
	f.Add([]byte(`(\(\1234\`))
	f.Add([]byte("[[[[<<BI ID EI"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m := parseCharacters(data)
		for i := range 300 {
			m.lookup(string([]byte{byte(i >> 8), byte(i)}))
		}
		in := &interpreter{ctx: t.Context(), doc: &Document{}, fonts: map[string]*font{}, left: 1 << 16, tokens: 100_000, state: state{ctm: unit}}
		in.state.font, in.state.size = &font{unicode: m, usual: 500, widths: map[int]float64{}}, 10
		in.state.font.table = charmap.Windows1252
		in.run(data, nil, 0)
		if in.out.Len() > 1<<16 {
			t.Errorf("%d bytes of text", in.out.Len())
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(pdftest.ManyPages(2)))
	f.Add([]byte(pdftest.OnePage(pdftest.Stream("", "BT /F 12 Tf 1 0 0 1 72 700 Tm (x) Tj ET"))))
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := Parse(t.Context(), data)
		if err != nil {
			return
		}
		_ = doc.Info()
		text, err := doc.Text(t.Context(), 1<<20, func(int) bool { return true })
		if err == nil && len(text.Pages) > doc.Count() {
			t.Errorf("%d of %d pages have text", len(text.Pages), doc.Count())
		}
	})
}

// TestSimpleFont: codes of simple fonts have one byte, whatever their map to Unicode says.
func TestSimpleFont(t *testing.T) {
	data, err := os.ReadFile("testdata/pdf-simple-font-2byte-codespace.pdf")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := page1(t, string(data)), "Total due 1250 EUR on page 10"; !strings.Contains(got, want) {
		t.Errorf("the text is %q, want %q", got, want)
	}
}

// TestMutated: no document ends the process, or is read without end.
func TestMutated(t *testing.T) {
	t.Parallel()
	simple, err := os.ReadFile("testdata/pdf-simple-font-2byte-codespace.pdf")
	if err != nil {
		t.Fatal(err)
	}
	seeds := [][]byte{simple, []byte(fonted("q 1 0 0 1 9 9 cm /X Do Q BT /F 10 Tf 9 90 Td (out) Tj ET",
		pdftest.Helvetica, pdftest.Stream("/Subtype/Form/Matrix[1 0 0 1 0 500]", "BT /F 10 Tf (in) Tj ET")))}
	testmutate.Each(t, testmutate.Count, seeds, func(data []byte) {
		doc, err := Parse(t.Context(), data)
		if err != nil {
			return
		}
		_ = doc.Info()
		_, _ = doc.Text(t.Context(), 1<<20, func(int) bool { return true })
	})
}

// TestAnnotations: what annotations and the fields of a form show is text of the page; what
// is hidden is not.
func TestAnnotations(t *testing.T) {
	const look = "/Subtype/Form/BBox[0 0 100 20]/Resources<</Font<</F 5 0 R>>>>"
	document := pdftest.Raw(
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1/Resources<</Font<</F 5 0 R>>>>>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents[4 0 R]/Annots[<</Subtype/FreeText/Rect[9 600 109 620]/AP<</N 6 0 "+
			"R>>>><</Subtype/Widget/Rect[9 500 109 520]/AS/On/AP<</N<</On 7 0 R>>>>>><</F 2/Rect[0 0 9 9]/AP<</N 6 0 R>>>>]>>",
		pdftest.Stream("", "BT /F 10 Tf 9 700 Td (page) Tj ET"), pdftest.Helvetica,
		pdftest.Stream(look, "BT /F 10 Tf 2 5 Td (note) Tj ET"), pdftest.Stream(look, "BT /F 10 Tf 2 5 Td (yes) Tj ET"),
	)
	if got := page1(t, document); got != "page\n\nnote\n\nyes" {
		t.Errorf("the text is %q", got)
	}
}
