package top

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/helve-dev/helve/client"
)

// tab is one of the tables.
type tab struct {
	name string
	head []string
	// numeric marks the columns that are sorted by their number, the largest first.
	numeric []bool
}

// tabs returns the tables in the order of their keys, 1 to 5.
func tabs() []tab {
	return []tab{
		{
			"pools", []string{"POOL", "STATE", "BACKLOG", "OLDEST s", "BUSY", "SLOTS", "WORKERS", "CALLS/s"},
			[]bool{false, false, true, true, true, true, true, true},
		},
		{
			"workers", []string{"WORKER", "STATE", "POOLS", "BUSY", "SLOTS", "CALLS/s", "TOOLS", "VERSION"},
			[]bool{false, false, false, true, true, true, true, false},
		},
		{"tools", []string{"TOOL", "CALLS/min", "ERRORS/min", "MEDIAN ms", "MAX ms"}, []bool{false, true, true, true, true}},
		{
			"calls", []string{"AGE s", "STATE", "TOOL", "USER", "AGENT", "POOL", "WORKER", "CALL"},
			[]bool{true, false, false, false, false, false, false, false},
		},
		{
			"consents", []string{"AGE s", "USER", "TOOL", "AGENT", "CONVERSATION", "CONSENT", "CALL"},
			[]bool{true, false, false, false, false, false, false},
		},
	}
}

// rows returns the rows of a table; the last cell of a call's row is its ID.
func (s *Snapshot) rows(name string) [][]string {
	var rows [][]string
	age := func(at time.Time) string { return fmt.Sprintf("%.1f", max(0, s.At.Sub(at).Seconds())) }
	add := func(cells ...string) {
		for i, cell := range cells {
			cells[i] = clean(cmp.Or(cell, "-"))
		}
		rows = append(rows, cells)
	}
	switch name {
	case "pools":
		for _, p := range s.Pools {
			state := "running"
			if p.Paused {
				state = "paused"
			} else if p.Workers == 0 {
				state = "no worker"
			}
			add(p.Name, state, strconv.FormatInt(p.Backlog, 10), fmt.Sprintf("%.1f", p.OldestSeconds), strconv.Itoa(p.Busy), strconv.Itoa(p.Slots),
				strconv.Itoa(p.Workers), fmt.Sprintf("%.1f", p.Rate))
		}
	case "workers":
		for _, w := range s.Workers {
			add(w.ID, w.State, strings.Join(w.Pools, ","), strconv.Itoa(w.Busy), strconv.Itoa(w.Slots*len(w.Pools)), fmt.Sprintf("%.1f", w.Rate),
				strconv.Itoa(w.Tools), w.Version)
		}
	case "tools":
		for _, t := range s.Tools {
			add(t.Tool, fmt.Sprintf("%.0f", t.PerMinute), fmt.Sprintf("%.0f", t.PerMinute*float64(t.Errors)/float64(t.Calls)),
				fmt.Sprintf("%.1f", t.MedianMS), fmt.Sprintf("%.1f", t.MaxMS))
		}
	case "calls":
		for _, c := range s.Calls {
			add(age(c.Since), c.State, c.Tool, c.User, c.Agent, c.Pool, c.Worker, c.CallID)
		}
	case "consents":
		for _, c := range s.Consents {
			add(age(c.Since), c.User, c.Tool, c.Agent, c.Conversation, c.ConsentID, c.CallID)
		}
	}
	return rows
}

// clean replaces characters that could control the terminal.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || unicode.Is(unicode.Bidi_Control, r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// matching returns the rows with a cell that holds the filter, in any case.
func matching(rows [][]string, filter string) [][]string {
	filter = strings.ToLower(filter)
	if filter == "" {
		return rows
	}
	return slices.DeleteFunc(rows, func(row []string) bool {
		return !strings.Contains(strings.ToLower(strings.Join(row, "\n")), filter)
	})
}

// order sorts rows by a column: numbers from the largest, texts from the first.
func order(rows [][]string, column int, numeric bool) {
	slices.SortStableFunc(rows, func(a, b []string) int {
		if !numeric {
			return cmp.Compare(a[column], b[column])
		}
		x, _ := strconv.ParseFloat(a[column], 64)
		y, _ := strconv.ParseFloat(b[column], 64)
		return cmp.Compare(y, x)
	})
}

// columns pads the cells of the rows to columns.
func columns(rows [][]string) []string {
	var width []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], len([]rune(cell)))
		}
	}
	lines := make([]string, len(rows))
	for n, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell)
			line.WriteString(strings.Repeat(" ", width[i]-len([]rune(cell))+2))
		}
		lines[n] = strings.TrimRight(line.String(), " ")
	}
	return lines
}

// summary returns the figures of the whole system in one line.
func (s *Snapshot) summary() string {
	var backlog int64
	var slots, busy int
	var rate float64
	for _, p := range s.Pools {
		backlog, slots, busy, rate = backlog+p.Backlog, slots+p.Slots, busy+p.Busy, rate+p.Rate
	}
	paused := slices.ContainsFunc(s.Pools, func(p client.Pool) bool { return p.Paused })
	text := fmt.Sprintf("%d workers  %d/%d slots busy  %d calls wait  %.1f calls/s  %d consents",
		len(s.Workers), busy, slots, backlog, rate, len(s.Consents))
	if paused {
		text += "  POOL PAUSED"
	}
	return text
}

// programs returns the programs by their state in one line, empty if there are none.
func (s *Snapshot) programs() string {
	n := s.Programs
	if n == nil || n.Queued+n.Running+n.Waiting == 0 {
		return ""
	}
	text := fmt.Sprintf("programs: %d running  %d queued  %d wait, %d of them for a person", n.Running, n.Queued, n.Waiting, n.Decisions)
	if n.More {
		text += fmt.Sprintf("; the newest %d of more", programsMost)
	}
	return text
}

// Text returns every table, one after the other.
func (s *Snapshot) Text() string {
	var text strings.Builder
	text.WriteString(s.summary() + "\n")
	if line := s.programs(); line != "" {
		text.WriteString(line + "\n")
	}
	for _, t := range tabs() {
		text.WriteString("\n" + t.name + "\n")
		for _, line := range columns(append([][]string{t.head}, s.rows(t.name)...)) {
			text.WriteString(line + "\n")
		}
	}
	return text.String()
}
