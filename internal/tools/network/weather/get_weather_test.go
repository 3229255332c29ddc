package weather

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// TestGetWeather: Open-Meteo is asked as it publishes, first for the place and then for its
// weather, and the values have units.
func TestGetWeather(t *testing.T) {
	center := accounts{"openmeteo": meteo(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("name") == "Atlantis" {
			says(w, `{"generationtime_ms":0.4}`)
			return
		}
		wants(t, r, "/v1/search", url.Values{"name": {"Istanbul"}, "count": {"10"}, "language": {"en"}, "format": {"json"}})
		says(w, istanbul)
	}, func(w http.ResponseWriter, r *http.Request) {
		wants(t, r, "/v1/forecast", url.Values{
			"latitude": {"41.01384"}, "longitude": {"28.94966"}, "timezone": {"auto"}, "current": {currentVariables},
		})
		says(w, meteoNow)
	})}
	const want = `{"success":true,"location":"Istanbul, TR","weather":{"temperature":"22°C","feelsLike":"22°C","condition":"Partly cloudy","humidity":"45%","wind":"15 km/h NW","visibility":"10 km","cloudCover":"40%","pressure":"1013 hPa","uvIndex":6.4,"isDay":true,"icon":"⛅"},"timezone":"Europe/Istanbul","provider":"openmeteo","fetchedAt":"2026-06-01T12:00:00Z"}`
	tooltest.Run(t, Set, "get_weather", call(t, center), []tooltest.Case{
		{Name: "now", Args: `{"location":" Istanbul "}`, Want: want},
		{Name: "imperial", Args: `{"location":"Istanbul","units":"imperial"}`, Check: func(t *testing.T, res tool.Result) {
			t.Helper()
			var got weatherResult
			if err := json.Unmarshal(res.Value, &got); err != nil {
				t.Fatal(err)
			}
			w := got.Weather
			if w.Temperature != "72°F" || w.Wind != "9 mph NW" || w.Visibility != "6.2 mi" || w.Pressure != "29.91 inHg" || w.Humidity != "45%" {
				t.Errorf("imperial values %+v", w)
			}
		}},
		{Name: "unknown place", Args: `{"location":"Atlantis"}`, Fails: tool.NotFound, Message: "Location not found"},
		{Name: "blank", Args: `{"location":" "}`, Fails: tool.ValidationError, Message: "Location is required"},
		{Name: "empty", Args: `{"location":""}`, Fails: tool.ValidationError, Message: "Location is required"},
		{Name: "missing", Args: `{}`, Fails: tool.ValidationError, Message: "location"},
		{Name: "unknown units", Args: `{"location":"x","units":"kelvin"}`, Fails: tool.ValidationError, Message: "units"},
	})
}

// TestAccount: without an account the public servers are asked, with a key those of the
// paid plan, unless the account names others.
func TestAccount(t *testing.T) {
	for name, tt := range map[string]struct {
		entries []tool.ServiceEntry
		want    string
	}{
		"none": {nil, "https://geocoding-api.open-meteo.com/v1/search https://api.open-meteo.com/v1/forecast"},
		"inactive": {
			[]tool.ServiceEntry{{Data: map[string]string{"base_url": "https://w.example"}}},
			"https://geocoding-api.open-meteo.com/v1/search https://api.open-meteo.com/v1/forecast",
		},
		"key": {
			shared(map[string]string{"api_key": "k1", "base_url": publicForecasts, "geocoding_url": publicPlaces}),
			"https://customer-geocoding-api.open-meteo.com/v1/search?apikey=k1 https://customer-api.open-meteo.com/v1/forecast?apikey=k1",
		},
		"own": {
			shared(map[string]string{"api_key": "k1", "base_url": "https://w.example/om/"}),
			"https://customer-geocoding-api.open-meteo.com/v1/search?apikey=k1 https://w.example/om/v1/forecast?apikey=k1",
		},
	} {
		var asked []string
		c := tool.Call{Secrets: accounts{"openmeteo": tt.entries}, HTTP: tooltest.Doer(func(r *http.Request) (*http.Response, error) {
			at := *r.URL
			query := url.Values{}
			if key := r.URL.Query().Get("apikey"); key != "" {
				query.Set("apikey", key)
			}
			at.RawQuery = query.Encode()
			asked = append(asked, at.String())
			if len(asked) == 1 {
				return answerOf(200, istanbul), nil
			}
			return answerOf(200, meteoNow), nil
		})}
		tooltest.Run(t, Set, "get_weather", c,
			[]tooltest.Case{{Name: name, Args: `{"location":"Istanbul"}`, Check: func(t *testing.T, _ tool.Result) {
				t.Helper()
				if got := strings.Join(asked, " "); got != tt.want {
					t.Errorf("asked %s, want %s", got, tt.want)
				}
			}}})
	}
}

// TestOwnAddress: an address that a person has set is not reached if it is internal, and no
// other provider gets to know the place if there is none.
func TestOwnAddress(t *testing.T) {
	own := meteo(t, always(istanbul), always(meteoNow))
	own[0].Shared = false
	tooltest.Run(t, Set, "get_weather", call(t, accounts{"openmeteo": own}), []tooltest.Case{
		{Name: "a person's", Args: `{"location":"Istanbul"}`, Fails: tool.PermissionDenied, Message: "Access denied"},
	})
}
