package pdf

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/helve-dev/helve/internal/ports/fonts"
	"github.com/helve-dev/helve/internal/test/testtime"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// systemFonts returns the fonts of this machine. It skips a test that needs a character
// which no font has.
func systemFonts(t *testing.T, characters string) tool.Fonts {
	t.Helper()
	f := fonts.New([]string{"/usr/share/fonts"})
	for _, r := range characters {
		if lent, err := f.Covering(r, ""); err != nil || lent == nil {
			if os.Getenv("CI") != "" {
				t.Fatalf("no font has %c (%v): .ci/run installs the fonts that this test needs", r, err)
			}
			t.Skipf("SKIPPED: no font has %c (%v), so nothing here was tested; install fonts-wqy-microhei, fonts-lohit-deva, fonts-lohit-taml and "+
				"fonts-tlwg-loma-otf", r, err)
		}
	}
	return f
}

// extracted returns the text that poppler reads in a document.
func extracted(t *testing.T, b *bench, name string) string {
	t.Helper()
	out, err := exec.Command("pdftotext", "-enc", "UTF-8", filepath.Join(b.dir, name), "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	return norm.NFC.String(string(out))
}

// scripts lists texts whose letters need a font of the machine, most of them with
// shaping.
var scripts = map[string]string{
	"Chinese":   "人人生而自由,在尊严和权利上一律平等。",
	"Japanese":  "すべての人間は、生まれながらにして自由である。",
	"Korean":    "모든 인간은 태어날 때부터 자유롭다",
	"Hindi":     "सभी मनुष्यों को गौरव और अधिकारों के विषय में जन्मजात स्वतन्त्रता प्राप्त है",
	"Tamil":     "மனிதப் பிறவியினர் சகலரும் சுதந்திரமாகவே பிறக்கின்றனர்",
	"Thai":      "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกัน",
	"composed":  "हिन्दी 2026 (दो हज़ार) and English",
	"in a link": "[नमस्ते](https://example.com/)",
}

func TestScripts(t *testing.T) {
	needPoppler(t)
	b := newBench(t, "")
	b.call.Fonts = systemFonts(t, "人す모हதม")
	for name, text := range scripts {
		t.Run(name, func(t *testing.T) {
			plain := text
			if name == "in a link" {
				plain = "नमस्ते"
			}
			long := strings.Repeat(plain+" ", 40)
			content := fmt.Sprintf("# %s\n\nBefore %s after **%s** *%s*.\n\n- %s\n\n| a | b |\n|---|---|\n| %s | x |\n\n%s\n",
				plain, text, plain, plain, plain, plain, long)
			call := b.call
			call.Clock = tooltest.Clock{}
			res, err := createPDF(t.Context(), &call, createPDFArgs{OutputPath: "s.pdf", Format: "markdown", Content: content, PageSize: "A4"})
			if err != nil {
				t.Fatal(err)
			}
			if res.Warning != "" {
				t.Errorf("warning %q, want none", res.Warning)
			}
			got := squeezed(extracted(t, b, "s.pdf"))
			if n, want := strings.Count(got, squeezed(plain)), 6+40; n != want {
				t.Errorf("the text is there %d times, want %d:\n%.2000s", n, want, got)
			}
			if strings.Contains(got, "□") || !strings.Contains(got, "Before") || !strings.Contains(got, "after") {
				t.Errorf("read %.500q", got)
			}
			if r := b.back(t, "s.pdf"); !strings.Contains(squeezed(norm.NFC.String(r.Text)), squeezed(plain)) {
				t.Errorf("read_pdf reads %.500q", r.Text)
			}
			if res.Size > 100_000 {
				t.Errorf("%d bytes for a page, want the used glyphs alone", res.Size)
			}
		})
	}
}

// squeezed removes the spaces of a text, which also appear where lines end.
func squeezed(s string) string {
	return strings.Join(strings.Fields(norm.NFC.String(s)), "")
}

// TestScriptsKeepToThePage: no line of a script without spaces is longer than the page.
func TestScriptsKeepToThePage(t *testing.T) {
	needPoppler(t)
	b := newBench(t, "")
	b.call.Fonts = systemFonts(t, "人ม")
	b.call.Clock = tooltest.Clock{}
	for _, unit := range []string{"人", "มนุษย์", "人 and "} {
		for format, content := range map[string]string{
			"text": strings.Repeat(unit, 3000), "html": "<table><tr><td>" + strings.Repeat(unit, 3000),
		} {
			if _, err := createPDF(t.Context(), &b.call, createPDFArgs{
				OutputPath: "l.pdf",
				Format:     format,
				Content:    content,
				PageSize:   "A4",
			}); err != nil {
				t.Fatal(err)
			}
			got := strings.Count(squeezed(extracted(t, b, "l.pdf")), squeezed(unit))
			if got != 3000 {
				t.Errorf("%s of %q: %d of 3000 are on the pages", format, unit, got)
			}
		}
	}
}

// TestUnreadableFont: a missing font fails the call with the font's name.
func TestUnreadableFont(t *testing.T) {
	b := newBench(t, "")
	b.call.Fonts = lost{}
	tooltest.Run(t, Set, "create_pdf", b.call, []tooltest.Case{
		{Name: "gone", Args: `{"outputPath":"a.pdf","content":"Hello 人"}`, Fails: tool.ExecutionError, Message: "cannot be read"},
	})
}

type lost struct{}

func (lost) Covering(rune, string) (*tool.Font, error) {
	return nil, tool.Fail(tool.ExecutionError, "The font x cannot be read on this worker.")
}

// TestScriptsHostile: content that is expensive to set in fonts of the machine takes no
// longer than the tool's timeout.
func TestScriptsHostile(t *testing.T) {
	b := newBench(t, "")
	b.call.Fonts = systemFonts(t, "人हม")
	b.call.Clock = tooltest.Clock{}
	const size = 100_000
	for name, unit := range map[string]string{
		"one word": "人", "one syllable": "क्", "marks": "ं", "joiners": "क्\u200d", "directions": "人ש", "scripts": "人हม", "all characters": "",
	} {
		content := strings.Repeat(unit, size/max(len(unit), 1))
		if unit == "" {
			for r := rune(0x4e00); len(content) < size && r < 0xd7a0; r++ {
				content += string(r)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), testtime.Patience())
		for _, format := range []string{"text", "html"} {
			_, err := createPDF(ctx, &b.call, createPDFArgs{
				OutputPath: "x.pdf",
				Format:     format,
				Content:    map[string]string{"html": "<table><tr><td>"}[format] + content,
				PageSize:   "A4",
			})
			if err != nil && tool.AsError(err).Kind != tool.Unsupported {
				t.Errorf("%s as %s: %v", name, format, err)
			}
		}
		cancel()
	}
}
