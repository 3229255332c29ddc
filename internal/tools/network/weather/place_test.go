package weather

import (
	"encoding/json"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// TestPlace: what follows the name chooses among places of one name.
func TestPlace(t *testing.T) {
	results := []place{
		{Name: "Paris", CountryCode: "FR", Country: "France", Admin1: "Île-de-France"},
		{Name: "Paris", CountryCode: "US", Country: "United States", Admin1: "Texas", Admin2: "Lamar"},
		{Name: "Paris", CountryCode: "US", Country: "United States", Admin1: "Tennessee"},
		{Name: "Paris", CountryCode: "GB", Country: "United Kingdom", Admin1: "England"},
		{Name: "Paris", CountryCode: "TR", Country: "Türkiye"},
		{Name: "Paris", CountryCode: "NG", Country: "Nigeria"},
		{Name: "Paris", CountryCode: "NE", Country: "Niger"},
	}
	text, err := json.Marshal(map[string]any{"results": results})
	if err != nil {
		t.Fatal(err)
	}
	center := accounts{"openmeteo": meteo(t, always(string(text)), always(meteoNow))}
	c := call(t, center)
	for location, want := range map[string]int{
		"Paris": 0, "Paris,": 0, "Paris, FR": 0, "Paris, france": 0, "Paris, Ile de France": 0, "Paris, Ile-de-France": 0,
		"Paris, TX": 1, "Paris, Texas, USA": 1, "Paris, tx, us": 1, "Paris, Lamar": 1, "Paris, TN": 2, "Paris, U.S.": 1, "Paris, UK": 3,
		"Paris, England": 3,
		"Paris, Turkey":  4, "Paris, Türkiye": 4, "Paris, Niger": 6, "Paris, Atlantis": -1, "Paris, France, Texas": -1, "Paris, X": -1,
	} {
		got, err := find(t.Context(), &c, location)
		switch {
		case want < 0 && (err == nil || tool.AsError(err).Kind != tool.NotFound):
			t.Errorf("%s: %+v, %v, want none", location, got, err)
		case want >= 0 && (err != nil || got != results[want]):
			t.Errorf("%s: %+v, %v, want %+v", location, got, err, results[want])
		}
	}
}

// TestLabel: a place without a country is shown by its name, and no name is long.
func TestLabel(t *testing.T) {
	for want, got := range map[string]string{
		"Istanbul, TR": place{Name: "Istanbul", CountryCode: "tr", Country: "Türkiye"}.label(),
		"Pole":         place{Name: "Pole"}.label(),
		"X, Y":         place{Name: "X", Country: "Y"}.label(),
	} {
		if got != want {
			t.Errorf("label %q, want %q", got, want)
		}
	}
}
