package trend

// The verdicts about a quantity.
const (
	// Steady means that the quantity certainly grows by less than its limit.
	Steady = "steady"
	// Leak means that it certainly grows by more, in the later half of the run too.
	Leak = "leak"
	// Unsure means that the run is too short, or too noisy, to say.
	Unsure = "unsure"
)

// Limit bounds the growth of a quantity.
type Limit struct {
	// Growth is the slope that is allowed.
	Growth float64 `json:"limit"`
	// Noise is the gain over a whole run that is not a leak in a run too short for
	// Growth: caches that fill, a larger heap at a moment of load.
	Noise float64 `json:"noise"`
}

// Finding is the verdict about a quantity.
type Finding struct {
	Line
	Limit

	// Late is the slope of the later half of the run.
	Late Line `json:"late"`
	// First and Last are the fitted line at its ends, Most is the largest sample.
	First float64 `json:"first"`
	Last  float64 `json:"last"`
	Most  float64 `json:"most"`
	// Shows is the smallest leak that this run certainly shows; 0 if it shows none,
	// because it has too few samples.
	Shows   float64 `json:"shows"`
	Verdict string  `json:"verdict"`
}

// sure is the number of standard errors beyond which a slope is certain: one in forty on
// each side.
const sure = 2

// Judge returns the verdict about samples that are in the order of time.
func Judge(samples []Sample, limit Limit) Finding {
	f := Finding{Limit: limit, Verdict: Unsure}
	var enough, both bool
	f.Line, enough = Fit(samples)
	if f.Late, both = Fit(samples[len(samples)/2:]); !enough || !both {
		return f
	}
	from, to := samples[0].At, samples[len(samples)-1].At
	mean, middle := 0.0, 0.0
	for _, s := range samples {
		mean += s.Value / float64(len(samples))
		middle += s.At / float64(len(samples))
		f.Most = max(f.Most, s.Value)
	}
	f.First, f.Last = mean+f.Slope*(from-middle), mean+f.Slope*(to-middle)
	length := to - from
	f.Shows = max(limit.Growth+2*sure*f.Error, limit.Noise/length)
	switch {
	case f.Slope+sure*f.Error <= limit.Growth:
		f.Verdict = Steady
	case f.Slope-sure*f.Error > limit.Growth && f.Slope*length > limit.Noise && f.goesOn():
		f.Verdict = Leak
	}
	return f
}

// goesOn reports whether the later half grows at least half as fast as the whole run: a
// leak does, memory that fills up to its size does not. The later half has too few samples
// for more.
func (f Finding) goesOn() bool { return f.Late.Slope > max(f.Limit.Growth, f.Slope/2) }
