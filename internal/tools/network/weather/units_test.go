package weather

import (
	"math"
	"testing"
)

func TestUnits(t *testing.T) {
	v := func(f float64) *float64 { return &f }
	metric, imperial := units{}, units{imperial: true}
	for _, tt := range []struct{ got, want string }{
		{metric.temperature(v(-0.4)), "0°C"}, {metric.temperature(v(-1.6)), "-2°C"}, {metric.temperature(nil), ""},
		{metric.temperature(v(math.NaN())), ""},
		{imperial.temperature(v(100)), "212°F"},
		{metric.wind(v(14.6), v(315)), "15 km/h NW"}, {metric.wind(v(14.6), nil), "15 km/h"}, {metric.wind(nil, v(3)), ""},
		{imperial.wind(v(100), v(0)), "62 mph N"},
		{metric.distance(v(9.96)), "10 km"}, {metric.distance(v(0.44)), "0.4 km"}, {metric.distance(v(24.14)), "24 km"},
		{imperial.distance(v(16.1)), "10 mi"}, {imperial.distance(nil), ""},
		{metric.pressure(v(1012.6)), "1013 hPa"}, {imperial.pressure(v(1013.25)), "29.92 inHg"}, {imperial.pressure(nil), ""},
		{compass(348.75), "N"}, {compass(348.7), "NNW"}, {compass(-90), "W"}, {compass(1e300), compass(math.Mod(1e300, 360))},
		{compass(math.Inf(1)), ""},
		{percent(v(79.5)), "80%"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
	if index(v(math.Inf(1))) != nil || *index(v(7.26)) != 7.3 {
		t.Error("index")
	}
}

// TestSkies: at night the icon differs, every code that providers map to has words, and
// others have none.
func TestSkies(t *testing.T) {
	night := false
	sunny := 0
	if words, icon := shown(&sunny, &night); words != "Clear sky" || icon != "🌙" {
		t.Errorf("a clear night: %s %s", words, icon)
	}
	none := 42
	for _, code := range []*int{nil, &none} {
		if words, icon := shown(code, nil); words != "Unknown" || icon != "" {
			t.Errorf("code %v: %s %s", code, words, icon)
		}
	}
	for _, s := range append(append([]span{}, owmSkies...), wapiSkies...) {
		if _, known := skies[s.wmo]; !known || s.from > s.to {
			t.Errorf("%+v maps to no code", s)
		}
	}
}
