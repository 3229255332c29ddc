package audio

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func TestParseCuts(t *testing.T) {
	for raw, want := range map[string]cuts{
		`600`:                   {every: 600},
		`0.5`:                   {every: 0.5},
		`"600"`:                 {every: 600},
		`" 1.5 "`:               {every: 1.5},
		`[1,2.5]`:               {points: []float64{1, 2.5}},
		`[600]`:                 {points: []float64{600}},
		`"[1, 2]"`:              {points: []float64{1, 2}},
		`"1,2;3 4"`:             {points: []float64{1, 2, 3, 4}},
		`"1:30"`:                {points: []float64{90}},
		`["0:30","1:02:03.5"]`:  {points: []float64{30, 3723.5}},
		`["90"]`:                {points: []float64{90}},
		`[3,1,2,1,0]`:           {points: []float64{1, 2, 3}},
		`1e8`:                   {every: 1e8},
		`["  7 ", 8.25, "0:9"]`: {points: []float64{7, 8.25, 9}},
	} {
		got, err := parseCuts(json.RawMessage(raw))
		if err != nil || got.every != want.every || !slices.Equal(got.points, want.points) {
			t.Errorf("parseCuts(%s) = %v, %v, want %v", raw, got, err, want)
		}
	}
	for _, raw := range []string{
		`0`, `-1`, `0.01`, `null`, `true`, `{}`, `[]`, `""`, `"x"`, `"NaN"`, `"1e999"`, `[-1]`, `["-1"]`, `[null]`, `[[1]]`, `[{"start":1}]`,
		`["1:60"]`, `["1:2:3:4"]`, `["Inf"]`, `["NaN:1"]`, `[0]`, `","`, `1e30`, `[1e30]`, `["1e30"]`, `[1,1e9]`,
		`[` + strings.Repeat("1,", maxSegments) + `1]`,
	} {
		if got, err := parseCuts(json.RawMessage(raw)); err == nil || tool.AsError(err).Kind != tool.ValidationError {
			t.Errorf("parseCuts(%s) = %v, %v, want a validation_error", raw, got, err)
		}
	}
}

func TestSegments(t *testing.T) {
	for _, tt := range []struct {
		cuts   cuts
		length float64
		want   []segment
	}{
		{cuts{every: 1}, 3, []segment{{0, 1}, {1, 2}, {2, 3}}},
		{cuts{every: 1}, 3.5, []segment{{0, 1}, {1, 2}, {2, 3}, {3, 3.5}}},
		{cuts{every: 1}, 3.01, []segment{{0, 1}, {1, 2}, {2, 3.01}}},
		{cuts{every: 600}, 3, []segment{{0, 3}}},
		{cuts{every: 1e8}, 3, []segment{{0, 3}}},
		{cuts{points: []float64{0.1, 0.15, 2.95}}, 3, []segment{{0, 0.1}, {0.1, 0.15}, {0.15, 2.95}, {2.95, 3}}},
		{cuts{points: []float64{1, 2.5}}, 3, []segment{{0, 1}, {1, 2.5}, {2.5, 3}}},
		{cuts{points: []float64{1, 3}}, 3, []segment{{0, 1}, {1, 3}}},
	} {
		if got, _, err := tt.cuts.segments(tt.length); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%+v of %v s: %v, %v, want %v", tt.cuts, tt.length, got, err, tt.want)
		}
	}
	for _, c := range []cuts{{every: 0.1}, {points: []float64{200}}, {points: []float64{1, 1.01}}, {points: []float64{0.01}}} {
		if got, _, err := c.segments(100); err == nil {
			t.Errorf("%+v of 100 s: %d segments, want an error", c, len(got))
		}
	}
	if _, dropped, err := (cuts{points: []float64{1, 2.9512, 3}}).segments(3); err != nil || !slices.Equal(dropped, []float64{2.951, 3}) {
		t.Errorf("dropped %v, %v, want the points at the end", dropped, err)
	}
}

func FuzzParseCuts(f *testing.F) {
	f.Add(`"1:30,2"`)
	f.Add(`[1,"2"]`)
	f.Fuzz(func(t *testing.T, raw string) {
		c, err := parseCuts(json.RawMessage(raw))
		if err != nil {
			return
		}
		all, _, err := c.segments(100)
		if err != nil {
			return
		}
		end := 0.0
		for _, s := range all {
			if s.start != end || s.end <= s.start {
				t.Fatalf("%s: segments %v", raw, all)
			}
			end = s.end
		}
		if end != 100 || len(all) > maxSegments+1 {
			t.Fatalf("%s: segments %v", raw, all)
		}
	})
}
