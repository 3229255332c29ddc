package cli

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/protocol"
)

// fewSteps is the number of steps of a program that are printed one by one. Of more steps, those
// that follow each other with the same tool, line, part and state share a row, so that a program
// with hundreds of calls fits on a screen.
const fewSteps = 12

// stepRow is a row of the table of steps: one step, or several that are alike.
type stepRow struct {
	first *client.ProgramStep
	state string
	last  int
	// began and ended are the times of the first and the last of them; ended is zero if one of
	// them has no end.
	began, ended time.Time
}

func rowOf(s *client.ProgramStep) stepRow {
	r := stepRow{first: s, state: s.State, last: s.N, began: s.StartedAt}
	if s.State == protocol.StateDone {
		r.state = cmp.Or(string(s.ErrorType), s.Status, "not awaited")
	}
	if s.EndedAt != nil {
		r.ended = *s.EndedAt
	}
	return r
}

// join adds the next step to the row, if it is alike.
func (r *stepRow) join(next *stepRow) bool {
	a, b := r.first, next.first
	if b.N != r.last+1 || a.Tool != b.Tool || a.Line != b.Line || a.Name != b.Name || r.state != next.state {
		return false
	}
	r.last = next.last
	switch {
	case next.ended.IsZero() || r.ended.IsZero():
		r.ended = time.Time{}
	case next.ended.After(r.ended):
		r.ended = next.ended
	}
	return true
}

func printSteps(w io.Writer, steps []client.ProgramStep) error {
	var shown []stepRow
	for i := range steps {
		next := rowOf(&steps[i])
		if n := len(shown); len(steps) > fewSteps && n > 0 && shown[n-1].join(&next) {
			continue
		}
		shown = append(shown, next)
	}
	rows := [][]string{{"N", "TOOL", "LINE", "PART", "STATE", "TOOK"}}
	for i := range shown {
		r := &shown[i]
		s, number, took := r.first, strconv.Itoa(r.first.N), "-"
		if r.last > s.N {
			number = fmt.Sprintf("%d-%d", s.N, r.last)
		}
		if !r.ended.IsZero() {
			took = r.ended.Sub(r.began).Round(time.Millisecond).String()
		}
		rows = append(rows, plainRow(number, s.Tool, strconv.Itoa(s.Line), cmp.Or(s.Name, "-"), r.state, took))
	}
	return table(w, rows...)
}
