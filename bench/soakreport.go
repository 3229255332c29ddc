package bench

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/helve-dev/helve/bench/trend"
)

// SoakReport is the result of a soak. It encodes as the output of `helve-bench soak --json`.
type SoakReport struct {
	Machine Machine `json:"machine"`
	Load    string  `json:"load_average"`
	// Asked and Measured are in seconds: the duration of the load, and of the time after the
	// warm-up whose samples count.
	Asked       float64 `json:"for_seconds"`
	Measured    float64 `json:"measured_seconds"`
	Interrupted bool    `json:"interrupted"`
	// Capacity and Rate are in calls a second; Capacity is 0 if Rate was given. Made is the
	// rate that was reached.
	Capacity float64 `json:"capacity"`
	Rate     float64 `json:"rate"`
	Made     float64 `json:"made_per_s"`
	Calls    int64   `json:"calls"`
	Failed   int64   `json:"failed"`
	First    string  `json:"first_failure,omitempty"`
	P50      float64 `json:"p50_us"`
	P99      float64 `json:"p99_us"`

	Quantities []Quantity `json:"quantities"`
	// Verdict is passed, failed, or unsure if the run is too short to exclude every leak.
	Verdict string `json:"verdict"`
}

// Quantity is the finding about one quantity of a process or of the storage.
type Quantity struct {
	Of   string `json:"of"`
	Name string `json:"name"`
	// Per is the unit of the slope: hour, call or message.
	Per     string `json:"per"`
	Samples int    `json:"samples"`
	trend.Finding
}

// The verdicts about a soak.
const (
	soakPassed = "passed"
	soakFailed = "failed"
	soakUnsure = "unsure"
)

// OK reports whether no call failed and no leak was found.
func (r *SoakReport) OK() bool { return r.Verdict != soakFailed }

// conclude judges the samples.
func (r *SoakReport) conclude(p *pacer, all []*quantity) {
	r.Calls, r.Failed = p.made.Load(), p.failed.Load()
	times := p.swap()
	r.P50, r.P99 = times.quantile(0.50), times.quantile(0.99)
	r.Verdict = soakPassed
	if len(all) == 0 {
		r.Verdict = soakUnsure
	}
	for _, q := range all {
		if q.per == "message" { // a full stream also loses messages
			slices.SortFunc(q.samples, func(a, b trend.Sample) int { return cmp.Compare(a.At, b.At) })
		}
		q.limit.Noise *= min(1, soakSettled.Seconds()/max(r.Measured, 1))
		f := trend.Judge(q.samples, q.limit)
		r.Quantities = append(r.Quantities, Quantity{q.of, q.name, q.per, len(q.samples), f})
		switch {
		case f.Verdict == trend.Leak:
			r.Verdict = soakFailed
		case f.Verdict == trend.Unsure && r.Verdict == soakPassed:
			r.Verdict = soakUnsure
		}
	}
	if first := p.first.Load(); first != nil {
		r.First, r.Verdict = *first, soakFailed
	}
}

// Table writes the report for people.
func (r *SoakReport) Table(w io.Writer) error {
	fmt.Fprintf(w, "soak: %d cores, %s, %s, %s; load average before: %s\n",
		r.Machine.Cores, r.Machine.CPU, r.Machine.Kernel, r.Machine.Go, r.Load)
	fmt.Fprintf(w,
		"%d calls, %.0f a second of %.0f due (capacity %.0f), p50 %.1f ms, p99 %.1f ms, %d failed; measured for %.0f s after the warm-up\n",
		r.Calls, r.Made, r.Rate, r.Capacity, r.P50/1000, r.P99/1000, r.Failed, r.Measured)
	if r.First != "" {
		fmt.Fprintf(w, "the first failure: %s\n", r.First)
	}
	rows := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(rows, "of\tquantity\tfirst\tlast\tmost\tslope\t± 2 s.e.\tper\tlimit\tshows from\tverdict\t")
	for _, q := range r.Quantities {
		fmt.Fprintf(rows, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", q.Of, q.Name, brief(q.First), brief(q.Last), brief(q.Most),
			brief(q.Slope), brief(2*q.Error), q.Per, brief(q.Growth), brief(q.Shows), q.Verdict)
	}
	if err := rows.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, r.sentence())
	return err
}

// sentence returns the verdict with its meaning.
func (r *SoakReport) sentence() string {
	state := "verdict: " + r.Verdict
	if r.Interrupted {
		state += " (interrupted)"
	}
	switch r.Verdict {
	case soakFailed:
		return state + ": calls failed, or a quantity grows without end"
	case soakUnsure:
		return state + ": nothing grows as a leak does, but the run is too short to exclude leaks below the column \"shows from\""
	}
	return state + ": every slope is below its limit, uncertainty included"
}
