// Package office reads documents of Office Open XML: workbooks (.xlsx) and texts (.docx), as
// Markdown.
//
// A document is untrusted. The parts that are unpacked, the nesting of elements, and the text
// are bounded, entities are not expanded, and nothing is run, computed or fetched: a cell
// with a formula has the value that the program stored with it. The fields named
// Cut report what was left out.
//
// The package reads what documents say, not how they look: fonts, pictures, charts, headers
// and footers of pages, comments and deleted text are left out.
package office
