package bench

import (
	"slices"
	"strconv"
)

// Report is the result of a run. It encodes as the output of `helve-bench --json`; ways
// that were not measured are omitted.
type Report struct {
	Machine Machine `json:"machine"`
	// Bare, NATS and HTTP hold figures by the number of callers.
	Bare   map[string]Figures `json:"bare,omitempty"`
	Engine *EngineFigures     `json:"engine,omitempty"`
	NATS   map[string]Figures `json:"nats,omitempty"`
	HTTP   map[string]Figures `json:"http,omitempty"`
	// Floor holds the same for the messages alone.
	Floor map[string]Figures `json:"floor,omitempty"`
	// BareMCP and MCP hold the same for MCP clients.
	BareMCP map[string]Figures `json:"mcp_bare,omitempty"`
	MCP     map[string]Figures `json:"mcp,omitempty"`
	// Ratios holds figures relative to those of bare NATS: nats_rate_N and http_rate_N
	// of calls per second, nats_p50_N of the median time; N is 64 for rates and 1 for
	// times if these were measured, otherwise the most and the fewest callers;
	// floor_rate_N and floor_p50_N are those of the floor. mcp_rate_N is relative to
	// the bare MCP server.
	Ratios map[string]float64 `json:"ratios"`

	// Load is the load average before the run.
	Load string `json:"-"`
	// Failed is the number of calls that did not succeed; FirstFailure is the error of
	// the first.
	Failed       int64  `json:"-"`
	FirstFailure string `json:"-"`
}

// Figures holds those of one way with one number of callers: medians over the rounds.
type Figures struct {
	P50     float64 `json:"p50_us"`
	P99     float64 `json:"p99_us"`
	Rate    float64 `json:"calls_per_s"`
	CPU     float64 `json:"cpu_us_per_call"`
	CPUEach []Share `json:"-"`
}

// Share is the CPU time per call of one process, in microseconds.
type Share struct {
	Role string
	CPU  float64
}

// EngineFigures holds those of the worker's pipeline alone.
type EngineFigures struct {
	P50 float64 `json:"p50_us"`
	P99 float64 `json:"p99_us"`
	// Allocs is per call.
	Allocs int64 `json:"allocs"`
}

// at returns the map for the figures of a way.
func (r *Report) at(way string) *map[string]Figures {
	switch way {
	case NATS:
		return &r.NATS
	case Floor:
		return &r.Floor
	case HTTP:
		return &r.HTTP
	case BareMCP:
		return &r.BareMCP
	case MCP:
		return &r.MCP
	}
	return &r.Bare
}

// compare fills in the ratios to bare NATS.
func (r *Report) compare(callers []int) {
	r.Ratios = map[string]float64{}
	many, few := slices.Max(callers), slices.Min(callers)
	if slices.Contains(callers, usualMany) {
		many = usualMany
	}
	ratio := func(name string, at int, way, against map[string]Figures, pick func(Figures) float64) {
		key := strconv.Itoa(at)
		mine, ok := way[key]
		if bare := pick(against[key]); ok && bare > 0 {
			r.Ratios[name+"_"+key] = pick(mine) / bare
		}
	}
	rate := func(f Figures) float64 { return f.Rate }
	ratio("nats_rate", many, r.NATS, r.Bare, rate)
	ratio("floor_rate", many, r.Floor, r.Bare, rate)
	ratio("http_rate", many, r.HTTP, r.Bare, rate)
	ratio("mcp_rate", many, r.MCP, r.BareMCP, rate)
	p50 := func(f Figures) float64 { return f.P50 }
	ratio("nats_p50", few, r.NATS, r.Bare, p50)
	ratio("floor_p50", few, r.Floor, r.Bare, p50)
}

// usualMany is the number of callers at which rates are compared.
const usualMany = 64

// medianOf returns the median of each figure.
func medianOf(rounds []Figures) Figures {
	each := func(pick func(Figures) float64) float64 {
		var all []float64
		for _, f := range rounds {
			all = append(all, pick(f))
		}
		return median(all)
	}
	m := Figures{
		P50:  each(func(f Figures) float64 { return f.P50 }),
		P99:  each(func(f Figures) float64 { return f.P99 }),
		Rate: each(func(f Figures) float64 { return f.Rate }),
		CPU:  each(func(f Figures) float64 { return f.CPU }),
	}
	for i, share := range rounds[0].CPUEach {
		m.CPUEach = append(m.CPUEach, Share{share.Role, each(func(f Figures) float64 { return f.CPUEach[i].CPU })})
	}
	return m
}

// median returns the median; of an even number of values the mean of the two in the
// middle, of none 0.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
