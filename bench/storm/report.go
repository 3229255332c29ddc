package storm

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Report holds the counts and findings of a run.
type Report struct {
	Seed     uint64         `json:"seed"`
	Seconds  float64        `json:"seconds"`
	Calls    int            `json:"calls"`
	Requests int64          `json:"requests"`
	Failed   int64          `json:"failed_requests"`
	Refused  int64          `json:"refused_requests"`
	Outcomes map[string]int `json:"outcomes"`

	Nodes   int `json:"nats_servers"`
	Kills   int `json:"kills"`
	Doubles int `json:"kills_of_two_at_once"`
	Servers int `json:"nats_restarts"`
	Stops   int `json:"stops"`
	Full    int `json:"full_streams"`
	Links   int `json:"spoiled_links"`

	// Recoveries are the faults in their order, with the times to recover.
	Recoveries []Recovery `json:"recoveries,omitempty"`

	// Values that must be 0.
	Lost       int `json:"lost"`
	Effects    int `json:"doubled_effects"`
	Unfounded  int `json:"successes_without_effect"`
	Unfinished int `json:"effects_without_success"`
	Different  int `json:"different_answers"`
	Records    int `json:"doubled_records"`
	Unrecorded int `json:"calls_without_record"`
	Histories  int `json:"histories_refused"`
	Unchecked  int `json:"histories_undecided"`
	Seals      int `json:"seal_problems"`

	// Sealed is the place up to which the audit trail is sealed.
	Sealed uint64 `json:"sealed_to"`

	// Samples describes some of the findings.
	Samples []string `json:"samples,omitempty"`
}

// maxSamples limits the described findings.
const maxSamples = 20

func (r *Report) samplef(format string, args ...any) {
	if len(r.Samples) < maxSamples {
		r.Samples = append(r.Samples, fmt.Sprintf(format, args...))
	}
}

// Broken returns the number of violations.
func (r *Report) Broken() int {
	return r.Lost + r.Effects + r.Unfounded + r.Unfinished + r.Different + r.Records + r.Unrecorded + r.Histories + r.Unchecked + r.Seals
}

// Table writes the report for people.
func (r *Report) Table(w io.Writer) error {
	fmt.Fprintf(w, "faults: %d calls in %.0f s, %d requests of which %d failed and %d were refused, seed %d\n",
		r.Calls, r.Seconds, r.Requests, r.Failed, r.Refused, r.Seed)
	fmt.Fprintf(w,
		"%d kills, %d times two processes together, %d restarts of one of %d NATS servers, %d stops, %d times full results\noutcomes %v\n\n",
		r.Kills, r.Doubles, r.Servers, r.Nodes, r.Stops, r.Full, r.Outcomes)
	rows := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range []struct {
		n    int
		what string
	}{
		{r.Lost, "calls without a result"},
		{r.Effects, "effects that happened more than once"},
		{r.Unfounded, "successes without their effect"},
		{r.Unfinished, "notes of calls that ended in an error"},
		{r.Different, "answers that differ from the stored result"},
		{r.Records, "calls with more than one final record"},
		{r.Unrecorded, "calls without a final record"},
		{r.Histories, "histories that no written-once value has"},
		{r.Unchecked, "histories that were not decided in time"},
		{r.Seals, fmt.Sprintf("problems of the audit trail, which is sealed up to message %d", r.Sealed)},
	} {
		fmt.Fprintf(rows, "  %d\t%s\n", row.n, row.what)
	}
	if err := rows.Flush(); err != nil {
		return err
	}
	if err := r.recoveries(w); err != nil {
		return err
	}
	for _, s := range r.Samples {
		fmt.Fprintln(w, "  "+s)
	}
	return nil
}
