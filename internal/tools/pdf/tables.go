package pdf

import (
	"regexp"
	"strings"
)

// table is rows of cells that stand below each other on a page.
type table struct {
	Page int        `json:"page"`
	Rows [][]string `json:"rows"`
}

// Bounds on what is returned of tables.
const (
	maxTables = 100
	maxRows   = 5000
)

// gap is what separates columns: a PDF has no cells, only text that is put apart.
var gap = regexp.MustCompile(`\s{2,}`)

// findTables takes for a table what has at least two lines, one below the other, of
// at least two columns. It reports whether there were more than it returns.
func findTables(text *pdfText) (all []table, cut bool) {
	all = []table{}
	left := maxRows
	for i, page := range text.pages {
		var rows [][]string
		end := func() {
			if len(rows) > 1 && len(all) < maxTables {
				all = append(all, table{Page: text.numbers[i], Rows: rows})
			} else if len(rows) > 1 {
				cut = true
			}
			rows = nil
		}
		for line := range strings.Lines(page) {
			cells := gap.Split(strings.TrimSpace(line), -1)
			switch {
			case len(cells) < 2 && strings.TrimSpace(line) == "" && len(rows) > 0:
				continue // air between rows
			case len(cells) < 2:
				end()
			case left == 0:
				cut = true
			default:
				left--
				rows = append(rows, cells)
			}
		}
		end()
	}
	return all, cut
}
