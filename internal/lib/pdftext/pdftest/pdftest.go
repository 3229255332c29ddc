// Package pdftest makes small PDF documents for tests, object by object.
package pdftest

import (
	"fmt"
	"strings"
)

// Raw returns a document of the given objects, numbered from 1; the first is the
// catalogue.
func Raw(objects ...string) string {
	var w strings.Builder
	w.WriteString("%PDF-1.7\n")
	var offsets []int
	for i, o := range objects {
		offsets = append(offsets, w.Len())
		fmt.Fprintf(&w, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	at := w.Len()
	fmt.Fprintf(&w, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, o := range offsets {
		fmt.Fprintf(&w, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&w, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, at)
	return w.String()
}

// Stream returns a stream object.
func Stream(dict, data string) string {
	return fmt.Sprintf("<</Length %d%s>>\nstream\n%s\nendstream", len(data), dict, data)
}

// Helvetica is the object of a font that needs no data.
const Helvetica = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"

// OnePage returns a document of one page that draws content.
func OnePage(content string) string {
	return Raw("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>", content, Helvetica)
}

// ManyPages returns a document of n pages, each with its number on it.
func ManyPages(n int) string {
	objects := []string{"<</Type/Catalog/Pages 2 0 R>>", "", Helvetica}
	var kids strings.Builder
	for i := range n {
		at := len(objects) + 1
		fmt.Fprintf(&kids, "%d 0 R ", at)
		objects = append(objects,
			fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents %d 0 R/Resources<</Font<</F 3 0 R>>>>>>", at+1),
			Stream("", fmt.Sprintf("BT /F 12 Tf 72 700 Td (This is page %d) Tj ET", i+1)))
	}
	objects[1] = fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d>>", kids.String(), n)
	return Raw(objects...)
}
