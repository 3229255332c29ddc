package weather

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestGetForecast(t *testing.T) {
	asked := ""
	center := accounts{"openmeteo": meteo(t, always(istanbul), func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.Query().Get("forecast_days")
		wants(t, r, "/v1/forecast", url.Values{
			"latitude": {"41.01384"}, "longitude": {"28.94966"}, "timezone": {"auto"}, "daily": {dailyVariables}, "forecast_days": {asked},
		})
		says(w, meteoDays)
	})}
	days := func(want string) func(*testing.T, tool.Result) {
		return func(t *testing.T, res tool.Result) {
			t.Helper()
			if asked != want {
				t.Errorf("asked for %s days, want %s", asked, want)
			}
			if more := want != "2"; more != (len(res.Notes) == 1 &&
				strings.Contains(res.Notes[0], "openmeteo forecasts 3 day(s) only, "+want+" were asked for")) {
				t.Errorf("notes %q", res.Notes)
			}
		}
	}
	const first = `{"date":"2026-06-01","high":"25°C","low":"15°C","avg":"20°C","condition":"Slight rain","humidity":"70%","chanceOfRain":"80%","sunrise":"05:32","sunset":"20:30","uvIndex":7.1,"icon":"🌦️"}`
	const second = `{"date":"2026-06-02","high":"26°C","low":"16°C","avg":"21°C","condition":"Clear sky","humidity":"61%","chanceOfRain":"5%","sunrise":"05:31","sunset":"20:31","uvIndex":8.4,"icon":"☀️"}`
	const third = `{"date":"2026-06-03","low":"0°C","condition":"Unknown","chanceOfRain":"0%","sunrise":"05:31","sunset":"20:31","uvIndex":0}`
	const rest = `"timezone":"Europe/Istanbul","provider":"openmeteo","fetchedAt":"2026-06-01T12:00:00Z"}`
	tooltest.Run(t, Set, "get_weather_forecast", call(t, center), []tooltest.Case{
		{
			Name:  "two",
			Args:  `{"location":"Istanbul","days":2}`,
			Want:  `{"success":true,"location":"Istanbul, TR","forecast":[` + first + `,` + second + `],"days":2,` + rest,
			Check: days("2"),
		},
		{
			Name: "values that are unknown",
			Args: `{"location":"Istanbul","days":3}`,
			Want: `{"success":true,"location":"Istanbul, TR","forecast":[` + first + `,` + second + `,` + third + `],"days":3,` + rest,
		},
		{Name: "the usual number", Args: `{"location":"Istanbul"}`, Check: days("5")},
		{Name: "most", Args: `{"location":"Istanbul","days":1e9}`, Check: days("16")},
		{Name: "seventeen", Args: `{"location":"Istanbul","days":17}`, Check: days("16")},
		{Name: "none", Args: `{"location":"Istanbul","days":0}`, Check: days("5")},
		{Name: "negative", Args: `{"location":"Istanbul","days":-3}`, Check: days("5")},
		{Name: "a part", Args: `{"location":"Istanbul","days":2.9}`, Check: days("2")},
		{Name: "blank", Args: `{"location":"\t"}`, Fails: tool.ValidationError, Message: "Location is required"},
		{Name: "no number", Args: `{"location":"Istanbul","days":"some"}`, Fails: tool.ValidationError, Message: "days"},
	})
}
