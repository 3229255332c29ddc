package pdftext

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAgreement: the text of documents that other programs wrote is that of pdftotext, in 90
// of 100 words of each. The documents are samples of pdfcpu (Apache License 2.0) and fpdf (MIT), the texts
// are those of pdftotext 22.12.
func TestAgreement(t *testing.T) {
	paths, err := filepath.Glob("testdata/agree/*.pdf")
	if err != nil || len(paths) < 8 {
		t.Fatalf("%d documents, %v", len(paths), err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(strings.TrimSuffix(path, "pdf") + "txt")
		if err != nil {
			t.Fatal(err)
		}
		doc, err := Parse(t.Context(), data)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		text, err := doc.Text(t.Context(), 1<<20, func(int) bool { return true })
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if got := agreement(strings.Join(text.Pages, "\n"), string(want)); got < 0.9 {
			t.Errorf("%s agrees in %.2f of the words: %.300q", path, got, text.Pages)
		}
	}
}

// agreement returns the share of words that two texts have in common, in any order.
func agreement(a, b string) float64 {
	words, common := map[string]int{}, 0
	for _, word := range strings.Fields(a) {
		words[word]++
	}
	for _, word := range strings.Fields(b) {
		if words[word] > 0 {
			words[word]--
			common++
		}
	}
	return 2 * float64(common) / float64(len(strings.Fields(a))+len(strings.Fields(b)))
}
