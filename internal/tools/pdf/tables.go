package pdf

import (
	"regexp"
	"strings"

	"github.com/helve-dev/helve/internal/lib/pdftext"
)

// table is a list of rows of cells, one below the other on a page.
type table struct {
	Page int        `json:"page"`
	Rows [][]string `json:"rows"`
}

// Limits on the returned tables.
const (
	maxTables = 100
	maxRows   = 5000
)

// gap matches the separation of columns: a PDF has no cells, only text with distances.
var gap = regexp.MustCompile(`\s{2,}`)

// findTables finds tables: at least two consecutive lines of at least two columns. It
// reports whether there were more than it returns.
func findTables(text *pdftext.Text) (all []table, cut bool) {
	all = []table{}
	left := maxRows
	for i, page := range text.Pages {
		var rows [][]string
		end := func() {
			if len(rows) > 1 && len(all) < maxTables {
				all = append(all, table{Page: text.Numbers[i], Rows: rows})
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
