package bench

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Table writes the report for people.
func (r *Report) Table(w io.Writer) error {
	fmt.Fprintf(w, "%d cores, %s, %s, %s; load average before: %s\n\n", r.Machine.Cores, r.Machine.CPU, r.Machine.Kernel, r.Machine.Go, r.Load)
	if e := r.Engine; e != nil {
		fmt.Fprintf(w, "engine alone: p50 %.1f µs, p99 %.1f µs, %d allocations a call\n\n", e.P50, e.P99, e.Allocs)
	}
	rows := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(rows, "way\tcallers\tp50 µs\tp99 µs\tcalls/s\t× bare p50\t× bare calls/s\tCPU µs/call\t= each process\t")
	for _, way := range []string{Bare, Floor, NATS, HTTP, BareMCP, MCP} {
		figures := *r.at(way)
		for _, key := range slices.SortedFunc(maps.Keys(figures), byNumber) {
			f := figures[key]
			bare := r.Bare[key]
			if way == MCP || way == BareMCP {
				bare = r.BareMCP[key]
			}
			fmt.Fprintf(rows, "%s\t%s\t%.0f\t%.0f\t%.0f\t%s\t%s\t%.1f\t%s\t\n", way, key, f.P50, f.P99, f.Rate,
				times(f.P50, bare.P50), times(f.Rate, bare.Rate), f.CPU, shares(f.CPUEach))
		}
	}
	if err := rows.Flush(); err != nil {
		return err
	}
	if r.Failed > 0 {
		fmt.Fprintf(w, "\n%d calls did not succeed\n", r.Failed)
	}
	return nil
}

func times(mine, bare float64) string {
	if bare == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", mine/bare)
}

func shares(each []Share) string {
	var parts []string
	for _, s := range each {
		parts = append(parts, fmt.Sprintf("%s %.1f", s.Role, s.CPU))
	}
	return strings.Join(parts, " + ")
}

func byNumber(a, b string) int {
	x, _ := strconv.Atoi(a)
	y, _ := strconv.Atoi(b)
	return x - y
}
