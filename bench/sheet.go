package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Sheet holds the results of a scenario.
type Sheet struct {
	Scenario string
	// Text is the whole result in one line, for a scenario without Figures.
	Text string
	// Figures are in reading order.
	Figures []Figure
	// Rows holds figures that were measured repeatedly, under Columns.
	Columns []string
	Rows    [][]float64
	Machine Machine
	// Load is the load average before the scenario.
	Load string
}

// Figure is one number. Its Name ends with the unit; About describes it.
type Figure struct {
	Name  string  `json:"name"`
	About string  `json:"about"`
	Value float64 `json:"value"`
}

// put adds a figure.
func (s *Sheet) put(name string, value float64, about string) {
	s.Figures = append(s.Figures, Figure{name, about, value})
}

// Table writes the sheet for people.
func (s *Sheet) Table(w io.Writer) error {
	if s.Text != "" {
		_, err := fmt.Fprintf(w, "%s: %s\n", s.Scenario, s.Text)
		return err
	}
	fmt.Fprintf(w, "%s: %d cores, %s, %s, %s; load average before: %s\n", s.Scenario,
		s.Machine.Cores, s.Machine.CPU, s.Machine.Kernel, s.Machine.Go, s.Load)
	rows := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i, row := range s.Rows {
		if i == 0 {
			fmt.Fprintln(rows, "  "+strings.Join(s.Columns, "\t"))
		}
		for _, v := range row {
			fmt.Fprintf(rows, "  %s\t", brief(v))
		}
		fmt.Fprintln(rows)
	}
	for _, f := range s.Figures {
		fmt.Fprintf(rows, "  %s\t%s\t%s\n", f.Name, brief(f.Value), f.About)
	}
	return rows.Flush()
}

// brief formats a number with two decimals if they matter.
func brief(v float64) string {
	if v >= 100 || v <= -100 || v == float64(int64(v)) {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// MarshalJSON writes the figures by their names.
func (s *Sheet) MarshalJSON() ([]byte, error) {
	figures := make(map[string]float64, len(s.Figures))
	for _, f := range s.Figures {
		figures[f.Name] = f.Value
	}
	rows := make([]map[string]float64, len(s.Rows))
	for i, row := range s.Rows {
		rows[i] = map[string]float64{}
		for c, v := range row {
			rows[i][s.Columns[c]] = v
		}
	}
	return json.Marshal(struct {
		Scenario string               `json:"scenario"`
		Machine  Machine              `json:"machine"`
		Load     string               `json:"load_average"`
		Text     string               `json:"text,omitempty"`
		Figures  map[string]float64   `json:"figures,omitempty"`
		Rows     []map[string]float64 `json:"rows,omitempty"`
	}{s.Scenario, s.Machine, s.Load, s.Text, figures, rows})
}
