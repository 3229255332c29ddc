package storm

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestJudge shows a report one call of each kind.
func TestJudge(t *testing.T) {
	answered := func(tool string, elements ...string) *life {
		v := &life{call: call{ID: "c", Tool: tool}}
		for i, e := range elements {
			did, a := execute, answer{state: done, outcome: "success", element: e}
			if e == "" {
				did, a = get, answer{state: pending}
			}
			v.ops = append(v.ops, at(did, int64(10*i), int64(10*i+5), a))
		}
		return v
	}
	for name, tt := range map[string]struct {
		life             *life
		effects          []int64
		results, records int
		want             Report
	}{
		"as promised":              {answered(effectTool, "A", "A"), []int64{1}, 1, 1, Report{}},
		"never ended":              {answered("debug.echo", ""), nil, 0, 1, Report{Lost: 1}},
		"answered and not stored":  {answered("debug.echo", "A"), nil, 0, 1, Report{Lost: 1}},
		"two answers":              {answered("debug.echo", "A", "B"), nil, 1, 1, Report{Different: 1, Histories: 1}},
		"two effects":              {answered(effectTool, "A"), []int64{1, 2}, 1, 1, Report{Effects: 1, Histories: 1}},
		"no effect":                {answered(effectTool, "A"), nil, 1, 1, Report{Unfounded: 1, Histories: 1}},
		"two final records":        {answered("debug.echo", "A"), nil, 1, 2, Report{Records: 1}},
		"no final record":          {answered("debug.echo", "A"), nil, 1, 0, Report{Unrecorded: 1}},
		"pending after the answer": {answered("debug.echo", "A", "", "A"), nil, 1, 1, Report{Histories: 1}},
	} {
		got := Report{Outcomes: map[string]int{}}
		l := &load{}
		l.judge(&got, tt.life, tt.effects, tt.results, []operation{at(crash, 3, 3, answer{outcome: "killed worker"})})
		l.recorded(&got, tt.life, tt.records)
		wrong := tt.want.Broken()
		if got.Broken() != wrong || (len(got.Samples) > 0) != (wrong > 0) {
			t.Errorf("%s: %d promises broken with %d samples, want %d", name, got.Broken(), len(got.Samples), wrong)
		}
		got.Outcomes, got.Samples = nil, nil
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestLines(t *testing.T) {
	got := lines([]operation{
		at(get, 5e6, 6e6, answer{state: pending}), at(execute, 1e6, 4e6, answer{state: done, element: `{"a":1}`}),
		at(effect, 2e6, 2e6, answer{}), at(crash, 3e6, 3e6, answer{outcome: "killed worker"}), at(cancel, 7e6, 8e6, answer{}),
	})
	const want = `
    execute 1 to 4 {"a":1}
    effect 2 to 2
    fault 3 to 3 killed worker
    get 5 to 6 pending
    cancel 7 to 8 no answer`
	if got != want {
		t.Errorf("lines = %s, want %s", got, want)
	}
}

// TestStoredRefusalCounts: an answer in which a worker has ended a call is the call's end,
// whatever it says; only one of the door means that nothing is stored.
func TestStoredRefusalCounts(t *testing.T) {
	for body, want := range map[string]state{
		`{"results":[{"call_id":"c","status":"error","error_type":"tool_not_available","state":"done"}]}`:                            refused,
		`{"results":[{"call_id":"c","status":"error","error_type":"overloaded","state":"done"}]}`:                                    refused,
		`{"results":[{"call_id":"c","status":"error","error_type":"tool_not_available","state":"done","worker":"w-1","attempt":1}]}`: done,
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }))
		if got := newAsker(1).execute(t.Context(), srv.URL, call{ID: "c"}); got.state != want {
			t.Errorf("%s is %s, want %v", body, got, answer{state: want})
		}
		srv.Close()
	}
}
