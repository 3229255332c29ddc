package bench

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// keysOf describes the shape of a decoded JSON value: the names in it, each
// with its path.
func keysOf(at string, value any) []string {
	object, ok := value.(map[string]any)
	if !ok {
		return []string{at}
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(object)) {
		all = append(all, keysOf(at+"."+name, object[name])...)
	}
	return all
}

func TestRun(t *testing.T) {
	opts, gone := quick(t)
	report, err := Run(bounded(t), opts)
	if err != nil {
		t.Fatal(err)
	}
	gone(5)
	if report.Failed > 0 {
		t.Errorf("%d calls failed, the first: %s", report.Failed, report.FirstFailure)
	}
	text, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	var shape map[string]any
	if err := json.Unmarshal(text, &shape); err != nil {
		t.Fatal(err)
	}
	want := []string{".engine.allocs", ".engine.p50_us", ".engine.p99_us", ".machine.cores", ".machine.cpu", ".machine.go", ".machine.kernel"}
	for _, way := range []string{".bare", ".nats", ".http"} {
		for _, callers := range []string{".1", ".4"} {
			for _, figure := range []string{".p50_us", ".p99_us", ".calls_per_s", ".cpu_us_per_call"} {
				want = append(want, way+callers+figure)
			}
		}
	}
	want = append(want, ".ratios.nats_rate_4", ".ratios.http_rate_4", ".ratios.nats_p50_1")
	if diff := cmp.Diff(slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(keysOf("", shape)))); diff != "" {
		t.Errorf("names in the JSON (-want +got):\n%s", diff)
	}
	for _, way := range []string{Bare, NATS, HTTP} {
		for callers, f := range *report.at(way) {
			if f.Rate <= 0 || f.P50 <= 0 || f.P99 < f.P50 || f.CPU < 0 {
				t.Errorf("%s with %s callers: %+v, want figures above 0 and p99 not below p50", way, callers, f)
			}
		}
	}
	if e := report.Engine; e.P50 <= 0 || e.P99 < e.P50 || e.Allocs <= 0 {
		t.Errorf("engine: %+v, want figures above 0", e)
	}
	if got, want := report.Ratios["nats_rate_4"], report.NATS["4"].Rate/report.Bare["4"].Rate; got != want {
		t.Errorf("ratios.nats_rate_4 = %v, want %v", got, want)
	}
}

func TestRunOnly(t *testing.T) {
	opts, gone := quick(t)
	opts.Only, opts.Callers = []string{Bare}, []int{2}
	report, err := Run(bounded(t), opts)
	if err != nil {
		t.Fatal(err)
	}
	gone(3)
	if report.Bare["2"].Rate <= 0 || report.NATS != nil || report.HTTP != nil || report.Engine != nil || len(report.Ratios) > 0 {
		t.Errorf("only bare: %+v, want nothing but bare", report)
	}
}

func TestRunNamesTheProcessThatFails(t *testing.T) {
	opts, gone := quick(t)
	opts.Only = []string{Bare}
	opts.Profiles = "/nonexistent"
	_, err := Run(bounded(t), opts)
	if err == nil || !strings.Contains(err.Error(), "broker") || !strings.Contains(err.Error(), "/nonexistent") {
		t.Errorf("Run = %v, want an error that names the broker and what it said", err)
	}
	gone(0)
}

func TestRunRefuses(t *testing.T) {
	ok := Options{Time: 1, Rounds: 1, Callers: []int{1}}
	for name, change := range map[string]func(*Options){
		"no time":           func(o *Options) { o.Time = 0 },
		"no rounds":         func(o *Options) { o.Rounds = 0 },
		"too many rounds":   func(o *Options) { o.Rounds = maxRounds + 1 },
		"no callers":        func(o *Options) { o.Callers = nil },
		"zero callers":      func(o *Options) { o.Callers = []int{1, 0} },
		"too many callers":  func(o *Options) { o.Callers = []int{maxCallers + 1} },
		"the same twice":    func(o *Options) { o.Callers = []int{4, 4} },
		"an unknown way":    func(o *Options) { o.Only = []string{"grpc"} },
		"negative calls":    func(o *Options) { o.Calls = -1 },
		"too many consoles": func(o *Options) { o.Consoles = maxConsoles + 1 },
		"negative parked":   func(o *Options) { o.Parked = -1 },
		"too many parked":   func(o *Options) { o.Parked = maxParked + 1 },
	} {
		opts := ok
		change(&opts)
		if _, err := Run(bounded(t), opts); err == nil {
			t.Errorf("%s: Run = nil, want an error", name)
		}
	}
	if err := ok.Check(); err != nil {
		t.Errorf("Check() = %v, want nil", err)
	}
}
