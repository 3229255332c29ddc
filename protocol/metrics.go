package protocol

import "time"

// MetricsHistory answers metrics.history: what the workers did lately, in equal steps, the
// oldest first. All series have one value for each time.
type MetricsHistory struct {
	StepSeconds float64         `json:"step_seconds" doc:"The length of a step."`
	Since       time.Time       `json:"since" doc:"The begin of the first step that something is known of."`
	Times       []time.Time     `json:"times" doc:"The ends of the steps. The last one is not over: its time is that of its newest values."`
	Known       []bool          `json:"known" doc:"Whether something is known of the step. The values of another, in which no dispatcher ran, are 0 or null."`
	Total       MetricsSeries   `json:"total" doc:"All pools together."`
	Pools       []MetricsSeries `json:"pools" doc:"Each pool, by name."`
	Source      string          `json:"source" enum:"stored,prometheus" doc:"Where the values are from: what Helve stored, or the Prometheus of the setting console.prometheus_url, whose rates of an hour are those of four minutes each."`
	Note        string          `json:"note,omitempty" doc:"Why they are not from Prometheus, in a sentence, if they should be."`
}

// The sources of a history.
const (
	FromStored     = "stored"
	FromPrometheus = "prometheus"
)

// MetricsSeries are the series of a pool, or of all.
type MetricsSeries struct {
	Name    string     `json:"name" doc:"The pool; empty for all together."`
	Success []float64  `json:"success" doc:"Calls that succeeded, per second."`
	Error   []float64  `json:"error" doc:"Calls that failed, per second."`
	P50     []*float64 `json:"p50_ms" doc:"The median time of calls from accepting to the end, in milliseconds, estimated; null if none ended."`
	P99     []*float64 `json:"p99_ms" doc:"The time that 99 of 100 calls did not exceed, likewise."`
	Backlog []*int64   `json:"backlog" doc:"Calls that waited for a worker, the most in the step; null if that was not known."`
	Busy    []int      `json:"busy" doc:"Slots that ran a call, the most in the step."`
	Slots   []int      `json:"slots" doc:"Slots of live workers, the most in the step."`
}

// ToolStats answers tools.stats: what the calls of a tenant's tools came to.
type ToolStats struct {
	From     time.Time  `json:"from" doc:"The begin of the time."`
	To       time.Time  `json:"to" doc:"Its end."`
	Records  int        `json:"records" doc:"The number of records that were counted, the newest first."`
	Complete bool       `json:"complete" doc:"Whether these are all records of that time; false if there are more than are read."`
	Oldest   *time.Time `json:"oldest,omitempty" doc:"The time of the oldest record that was counted."`
	Tools    []ToolStat `json:"tools" doc:"The tools, those with the most calls first."`
}

// ToolSteps is the number of steps in which the calls of a tool are counted.
const ToolSteps = 24

// ToolStat counts the calls of a tool that ended.
type ToolStat struct {
	Tool       string         `json:"tool" doc:"The tool."`
	Calls      int            `json:"calls" doc:"Calls that ended."`
	Errors     int            `json:"errors" doc:"Those that failed."`
	ErrorTypes map[string]int `json:"error_types" doc:"Those by error_type."`
	P50        float64        `json:"p50_ms" doc:"The median time that the tool ran, in milliseconds."`
	P99        float64        `json:"p99_ms" doc:"The time that 99 of 100 calls did not exceed."`
	Last       time.Time      `json:"last" doc:"When the last call ended."`
	CallsOver  []int          `json:"calls_over" doc:"The calls in 24 equal steps of the time, the oldest first."`
	ErrorsOver []int          `json:"errors_over" doc:"Those of them that failed."`
}
