package dataextraction

import (
	"context"
	"regexp"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/csvtab"
	"github.com/helve-dev/helve/tool"
)

// maxCells limits the cells of a result.
const maxCells = 100_000

type tablesArgs struct {
	Text      string `json:"text" alias:"content" doc:"Text with the table."`
	Format    string `json:"format,omitempty" doc:"Form of the table; detected if it is left out." enum:"text,html,markdown,csv"`
	HasHeader *bool  `json:"hasHeader,omitempty" doc:"Whether the first row names the columns." default:"true"`
	Delimiter string `json:"delimiter,omitempty" doc:"Character between the values of csv, \\t for tab; detected if it is left out."`
}

type tables struct {
	Format     string  `json:"format" doc:"Form that was read."`
	TableCount int     `json:"tableCount"`
	Tables     []table `json:"tables"`
	Truncated  bool    `json:"truncated,omitempty" doc:"Whether there are more cells than are listed, at most 100000."`
}

// Present marks a result that was cut.
func (t *tables) Present(res *tool.Result) { res.Truncated = t.Truncated }

type table struct {
	Headers []string   `json:"headers,omitempty" doc:"The first row; absent if hasHeader is false."`
	Rows    [][]string `json:"rows"`
}

var _ = tool.Add(Set, tool.Spec[tablesArgs, *tables]{
	Name:        "extract_table_data",
	Description: "Read the tables of a text in HTML, Markdown, CSV or columns that are parted by blanks, and return their headers and rows.",
	Tags:        []string{"table", "csv", "excel", "parse table"},
	Errors:      []tool.Kind{},
	Example:     `{"text":"name,age\nann,41\nbob,37"}`,
	Risk:        tool.Low,
	Mutates:     false,
	Idempotent:  true,
	Timeout:     10 * time.Second,
	Run:         extractTableData,
})

func extractTableData(ctx context.Context, call *tool.Call, args tablesArgs) (*tables, error) {
	if err := needText(args.Text, "Content is required for table extraction"); err != nil {
		return nil, err
	}
	res := &tables{Format: args.Format, Tables: []table{}}
	if res.Format == "" {
		res.Format = formOf(args.Text)
	}
	var all [][][]string
	var err error
	switch res.Format {
	case "html":
		all, res.Truncated, err = htmlTables(ctx, args.Text)
	case "markdown":
		all, res.Truncated, err = markdownTables(ctx, args.Text)
	case "csv":
		delimiter := args.Delimiter
		if delimiter == "" {
			delimiter = delimiterIn(args.Text)
		}
		all = make([][][]string, 1)
		all[0], res.Truncated, err = csvtab.Rows(ctx, args.Text, delimiter, maxCells)
	default:
		all = make([][][]string, 1)
		all[0], res.Truncated = columns(args.Text, args.Delimiter)
	}
	if err != nil {
		return nil, err
	}
	for _, rows := range all {
		t := table{Rows: rows}
		if len(rows) > 0 && (args.HasHeader == nil || *args.HasHeader) {
			t.Headers, t.Rows = rows[0], rows[1:]
		}
		res.Tables = append(res.Tables, t)
	}
	res.TableCount = len(res.Tables)
	if res.Truncated {
		call.Note("only the first %d cells are listed; send the text in parts for the others.", maxCells)
	}
	return res, nil
}

var (
	htmlForm     = regexp.MustCompile(`(?i)<(?:table|tr)\b`)
	markdownForm = regexp.MustCompile(
		`(?m)^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+\|?[ \t\r]*$|^[ \t]*\|[ \t]*:?-+:?[ \t]*\|[ \t\r]*$`,
	)
	wideGap = regexp.MustCompile(`\t+|[ \x{a0}]{2,}`)
)

// formOf detects the form of the tables in a text.
func formOf(text string) string {
	switch {
	case htmlForm.MatchString(text):
		return "html"
	case markdownForm.MatchString(text):
		return "markdown"
	case strings.ContainsAny(text, ",;") && strings.Contains(text, "\n"):
		return "csv"
	}
	return "text"
}

// delimiterIn returns the character that parts the values of the first line.
func delimiterIn(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	best, most := ",", 0
	for _, delimiter := range []string{",", ";", "\t", "|"} {
		if n := strings.Count(first, delimiter); n > most {
			best, most = delimiter, n
		}
	}
	return best
}

// columns returns the lines of a text as rows whose values are parted by a tab or by two
// or more blanks, or by delimiter if it is not empty. Lines that only draw the table are
// left out.
func columns(text, delimiter string) (rows [][]string, cut bool) {
	cells := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.Trim(line, "-=+| \t") == "" {
			continue
		}
		var values []string
		switch {
		case delimiter != "" && delimiter != `\t`:
			values = strings.Split(line, delimiter)
		case strings.Contains(line, "|"):
			values = strings.Split(strings.Trim(line, "|"), "|")
		default:
			values = wideGap.Split(line, -1)
		}
		if cells += len(values); cells > maxCells {
			return rows, true
		}
		for i := range values {
			values[i] = strings.TrimSpace(values[i])
		}
		rows = append(rows, values)
	}
	return rows, false
}
