package storm

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// Recovery is the time that callers waited after one fault.
type Recovery struct {
	Fault string `json:"fault"`
	// First is the time from the fault to the first answer to a request that was sent
	// after it, Gap the longest time without an answer that began before the next fault.
	// Both are in seconds, and -1 if no answer came.
	First float64 `json:"first_answer_s"`
	Gap   float64 `json:"longest_gap_s"`
	// NoLoad is set if the callers sent nothing after the fault: then nothing is measured.
	NoLoad bool `json:"no_load,omitempty"`
}

// recoveries returns the times to recover from each fault, from the operations of all
// callers until they had made their calls. What is read later, to verify, measures nothing.
func (l *load) recoveries(crashes []operation) []Recovery {
	type answered struct{ began, over int64 }
	var all []answered
	lastSent := int64(-1)
	for i := range l.lives {
		for _, op := range l.lives[i].ops {
			if op.began > l.over {
				continue
			}
			if lastSent = max(lastSent, op.began); op.answer.state == done {
				all = append(all, answered{op.began, op.over})
			}
		}
	}
	slices.SortFunc(all, func(a, b answered) int { return int(a.over - b.over) })
	rows := make([]Recovery, 0, len(crashes))
	for i, c := range crashes {
		if lastSent < c.began {
			rows = append(rows, Recovery{Fault: c.answer.outcome, First: -1, Gap: -1, NoLoad: true})
			continue
		}
		end := int64(1<<63 - 1)
		if i+1 < len(crashes) {
			end = crashes[i+1].began
		}
		first, last, gap := int64(-1), c.began, int64(-1)
		for _, a := range all {
			if a.over < c.began {
				continue
			}
			if first < 0 && a.began >= c.began {
				first = a.over - c.began
			}
			if last < end {
				gap, last = max(gap, a.over-last), a.over
			}
		}
		rows = append(rows, Recovery{Fault: c.answer.outcome, First: seconds(first), Gap: seconds(gap)})
	}
	return rows
}

func seconds(nanos int64) float64 {
	if nanos < 0 {
		return -1
	}
	return time.Duration(nanos).Round(time.Millisecond).Seconds()
}

// recoveries writes a row for each fault.
func (r *Report) recoveries(w io.Writer) error {
	if len(r.Recoveries) == 0 {
		return nil
	}
	rows := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(rows, "\n  fault\tfirst answer\tlongest gap")
	for _, x := range r.Recoveries {
		if x.NoLoad {
			fmt.Fprintf(rows, "  %s\tno load\t\n", x.Fault)
			continue
		}
		fmt.Fprintf(rows, "  %s\t%s\t%s\n", x.Fault, shown(x.First), shown(x.Gap))
	}
	return rows.Flush()
}

func shown(seconds float64) string {
	if seconds < 0 {
		return "no answer"
	}
	return fmt.Sprintf("%.2f s", seconds)
}
