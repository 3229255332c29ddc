package weather

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// owmNowText and owmForecastText are answers as https://openweathermap.org/current and
// https://openweathermap.org/forecast5 show them; the forecast is cut to four moments.
const (
	owmNowText = `{"coord":{"lon":28.9833,"lat":41.0351},"weather":[{"id":501,"main":"Rain","description":"moderate rain","icon":"10n"}],"base":"stations",
		"main":{"temp":12.3,"feels_like":11.8,"temp_min":11.1,"temp_max":13.9,"pressure":1009,"humidity":87,"sea_level":1009,"grnd_level":1004},"visibility":8000,
		"wind":{"speed":5.66,"deg":40,"gust":9.1},"rain":{"1h":2.7},"clouds":{"all":75},"dt":1780313400,"sys":{"type":1,"id":6970,"country":"TR","sunrise":1780281120,"sunset":1780335000},"timezone":10800,"id":745042,"name":"Istanbul","cod":200}`
	owmForecastText = `{"cod":"200","message":0,"cnt":4,"list":[
		{"dt":1780304400,"main":{"temp":22,"feels_like":21,"temp_min":21,"temp_max":23,"pressure":1012,"humidity":60},"weather":[{"id":800,"main":"Clear","description":"clear sky","icon":"01d"}],"clouds":{"all":0},"wind":{"speed":3,"deg":10},"visibility":10000,"pop":0.1,"sys":{"pod":"d"},"dt_txt":"2026-06-01 09:00:00"},
		{"dt":1780315200,"main":{"temp":24,"feels_like":23,"temp_min":22,"temp_max":25,"pressure":1012,"humidity":50},"weather":[{"id":500,"main":"Rain","description":"light rain","icon":"10d"}],"pop":0.62,"dt_txt":"2026-06-01 12:00:00"},
		{"dt":1780347600,"main":{"temp":15,"feels_like":15,"temp_min":14,"temp_max":15,"pressure":1012,"humidity":80},"weather":[{"id":803,"main":"Clouds","description":"broken clouds","icon":"04n"}],"pop":0,"dt_txt":"2026-06-01 21:00:00"},
		{"dt":1780390800,"main":{"temp":20,"feels_like":20,"temp_min":20,"temp_max":21,"pressure":1012,"humidity":70},"weather":[{"id":211,"main":"Thunderstorm","description":"thunderstorm","icon":"11d"}],"pop":1,"dt_txt":"2026-06-02 09:00:00"}],
		"city":{"id":745042,"name":"Istanbul","coord":{"lat":41.0351,"lon":28.9833},"country":"TR","population":11174257,"timezone":10800,"sunrise":1780281120,"sunset":1780335000}}`
)

// wapiText is an answer of /v1/forecast.json as https://www.weatherapi.com/docs/ shows it.
const wapiText = `{"location":{"name":"Istanbul","region":"Istanbul","country":"Turkey","lat":41.019,"lon":28.965,"tz_id":"Europe/Istanbul","localtime_epoch":1780315200,"localtime":"2026-06-01 15:00"},
	"current":{"last_updated":"2026-06-01 15:00","temp_c":22.0,"temp_f":71.6,"is_day":0,"condition":{"text":"Partly Cloudy","icon":"//cdn.weatherapi.com/weather/64x64/night/116.png","code":1003},"wind_kph":14.8,"wind_degree":320,"wind_dir":"NW","pressure_mb":1013.0,"humidity":45,"cloud":50,"feelslike_c":23.1,"vis_km":10.0,"uv":6.0},
	"forecast":{"forecastday":[{"date":"2026-06-01","date_epoch":1780272000,"day":{"maxtemp_c":25.1,"mintemp_c":16.2,"avgtemp_c":20.4,"avghumidity":64,"daily_will_it_rain":1,"daily_chance_of_rain":83,"daily_chance_of_snow":0,"condition":{"text":"Moderate rain","code":1189},"uv":7.0},
	"astro":{"sunrise":"05:32 AM","sunset":"08:30 PM","moonrise":"10:12 PM","moonset":"No moonset","moon_phase":"Waxing Gibbous","moon_illumination":97}}]}}`

func answerOf(status int, text string) *http.Response {
	return &http.Response{
		StatusCode: status,
		Header:     http.Header{"Content-Type": {"application/json"}},
		Body:       io.NopCloser(strings.NewReader(text)),
		Request:    &http.Request{Method: http.MethodGet},
	}
}

// TestOpenWeatherMap: it is asked as it publishes once Open-Meteo has failed.
func TestOpenWeatherMap(t *testing.T) {
	key := map[string]string{"api_key": "k1", "base_url": serve(t, func(w http.ResponseWriter, r *http.Request) {
		wants(t, r, r.URL.Path, url.Values{"q": {r.URL.Query().Get("q")}, "units": {"metric"}, "appid": {"k1"}})
		switch {
		case r.URL.Query().Get("q") == "Atlantis":
			w.WriteHeader(http.StatusNotFound)
			says(w, `{"cod":"404","message":"city not found"}`)
		case r.URL.Path == "/data/2.5/weather":
			says(w, owmNowText)
		case r.URL.Path == "/data/2.5/forecast":
			says(w, owmForecastText)
		default:
			t.Errorf("asked for %s", r.URL.Path)
		}
	})}
	c := call(t, accounts{"openmeteo": meteo(t, fails(500), fails(500)), "openweathermap": shared(key)})
	tooltest.Run(t, Set, "get_weather", c, []tooltest.Case{
		{
			Name: "now",
			Args: `{"location":"Istanbul"}`,
			Want: `{"success":true,"location":"Istanbul, TR","weather":{"temperature":"12°C","feelsLike":"12°C","condition":"Moderate rain","humidity":"87%","wind":"20 km/h NE","visibility":"8 km","cloudCover":"75%","pressure":"1009 hPa","isDay":false,"icon":"🌧️"},"provider":"openweathermap","fetchedAt":"2026-06-01T12:00:00Z"}`,
		},
		{Name: "no place", Args: `{"location":"Atlantis"}`, Fails: tool.NotFound, Message: "Location not found"},
	})
	tooltest.Run(t, Set, "get_weather_forecast", c, []tooltest.Case{
		{Name: "days", Args: `{"location":"Istanbul","days":2}`, Want: `{"success":true,"location":"Istanbul, TR","forecast":[
			{"date":"2026-06-01","high":"25°C","low":"21°C","avg":"23°C","condition":"Clear sky","humidity":"55%","chanceOfRain":"62%","sunrise":"05:32","sunset":"20:30","icon":"☀️"},
			{"date":"2026-06-02","high":"21°C","low":"14°C","avg":"18°C","condition":"Thunderstorm","humidity":"75%","chanceOfRain":"100%","icon":"⛈️"}],"days":2,"provider":"openweathermap","fetchedAt":"2026-06-01T12:00:00Z"}`},
	})
}

// TestWeatherAPI: it is asked as it publishes once the others have failed.
func TestWeatherAPI(t *testing.T) {
	key := map[string]string{"api_key": "k2", "base_url": serve(t, func(w http.ResponseWriter, r *http.Request) {
		query := url.Values{"q": {r.URL.Query().Get("q")}, "key": {"k2"}}
		if r.URL.Path == "/v1/forecast.json" {
			query.Set("days", "14")
		}
		wants(t, r, r.URL.Path, query)
		if r.URL.Query().Get("q") == "Atlantis" {
			w.WriteHeader(http.StatusBadRequest)
			says(w, `{"error":{"code":1006,"message":"No matching location found."}}`)
			return
		}
		says(w, wapiText)
	})}
	c := call(t, accounts{"openmeteo": meteo(t, always(istanbul), fails(429)), "weatherapi": shared(key)})
	tooltest.Run(t, Set, "get_weather", c, []tooltest.Case{
		{
			Name: "now",
			Args: `{"location":"Istanbul"}`,
			Want: `{"success":true,"location":"Istanbul, Turkey","weather":{"temperature":"22°C","feelsLike":"23°C","condition":"Partly cloudy","humidity":"45%","wind":"15 km/h NW","visibility":"10 km","cloudCover":"50%","pressure":"1013 hPa","uvIndex":6,"isDay":false,"icon":"☁️"},"timezone":"Europe/Istanbul","provider":"weatherapi","fetchedAt":"2026-06-01T12:00:00Z"}`,
		},
		{Name: "no place", Args: `{"location":"Atlantis"}`, Fails: tool.NotFound, Message: "Location not found"},
	})
	tooltest.Run(t, Set, "get_weather_forecast", c, []tooltest.Case{
		{Name: "days", Args: `{"location":"Istanbul","days":16}`, Want: `{"success":true,"location":"Istanbul, Turkey","forecast":[
			{"date":"2026-06-01","high":"25°C","low":"16°C","avg":"20°C","condition":"Moderate rain","humidity":"64%","chanceOfRain":"83%","sunrise":"05:32","sunset":"20:30","moonPhase":"Waxing Gibbous","uvIndex":7,"icon":"🌧️"}],"days":1,"timezone":"Europe/Istanbul","provider":"weatherapi","fetchedAt":"2026-06-01T12:00:00Z"}`},
	})
}

// TestFailures: if all providers fail, the error is that of the first, and its message has
// the others; no message holds a key.
func TestFailures(t *testing.T) {
	for name, tt := range map[string]struct {
		places, forecasts http.HandlerFunc
		kind              tool.Kind
		says              string
	}{
		"server":   {always(istanbul), fails(500), tool.NetworkError, "status 500"},
		"places":   {fails(502), always(meteoNow), tool.NetworkError, "status 502"},
		"too many": {always(istanbul), fails(429), tool.RateLimited, "in 7 seconds"},
		"key":      {always(istanbul), fails(401), tool.NotConfigured, "helve config set openmeteo"},
		"refused": {always(istanbul), func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(400)
			says(w, `{"error":true,"reason":"Out of range"}`)
		}, tool.ExecutionError, "Out of range"},
		"HTML":        {always(`<html>`), always(meteoNow), tool.ExecutionError, "makes no sense"},
		"no weather":  {always(istanbul), always(`{}`), tool.ExecutionError, "no weather"},
		"null":        {always(istanbul), always(`{"current":{"temperature_2m":null}}`), tool.ExecutionError, "no weather"},
		"wrong types": {always(istanbul), always(`{"current":{"temperature_2m":"warm"}}`), tool.ExecutionError, "makes no sense"},
		"broken off": {always(istanbul), func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "900")
			_, _ = io.WriteString(w, meteoNow[:100])
		}, tool.NetworkError, ""},
	} {
		both := map[string]string{"api_key": "secret-key", "base_url": serve(t, fails(503))}
		entries := meteo(t, tt.places, tt.forecasts)
		entries[0].Data["api_key"] = "secret-key"
		for rest, center := range map[string]accounts{"alone": {"openmeteo": entries}, "all": {
			"openmeteo":      entries,
			"openweathermap": shared(both),
			"weatherapi":     shared(map[string]string{"api_key": "secret-key", "base_url": "http://127.0.0.1:1"}),
		}} {
			c := call(t, center)
			_, err := getWeather(t.Context(), &c, weatherArgs{Location: "Istanbul"})
			e := tool.AsError(err)
			if e == nil || e.Kind != tt.kind || !strings.Contains(e.Msg, tt.says) || strings.Contains(e.Error(), "secret-key") {
				t.Errorf("%s, %s: %v, want %s with %q", name, rest, err, tt.kind, tt.says)
			} else if all := rest == "all"; all != strings.Contains(e.Msg, "status 503; try again later; Connection refused") {
				t.Errorf("%s, %s: message %s", name, rest, e.Msg)
			}
		}
	}
}

// TestSilence: a provider that does not answer leaves time for the next.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := tool.Call{Clock: tooltest.Clock{}, Secrets: accounts{"openweathermap": shared(map[string]string{"api_key": "k"})}}
		c.HTTP = tooltest.Doer(func(r *http.Request) (*http.Response, error) {
			if r.URL.Host == "api.openweathermap.org" {
				return answerOf(200, owmNowText), nil
			}
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		start := time.Now()
		got, err := getWeather(t.Context(), &c, weatherArgs{Location: "Istanbul"})
		if err != nil || got.Provider != "openweathermap" || time.Since(start) != patience {
			t.Errorf("%+v, %v after %v", got, err, time.Since(start))
		}
		c.Secrets = accounts{}
		if _, err := getWeather(t.Context(), &c, weatherArgs{Location: "Istanbul"}); tool.AsError(err).Kind != tool.Timeout {
			t.Errorf("silence of all: %v", err)
		}
	})
}

// TestHuge: lists of any length are cut to days, and numbers of any size are shown.
func TestHuge(t *testing.T) {
	many := strings.Repeat(`"2026-06-01",`, 10000)
	c := call(t, accounts{
		"openmeteo": meteo(t, always(istanbul), always(
			`{"timezone":"`+strings.Repeat("z", 5000)+`","daily":{"time":[`+strings.TrimSuffix(many, ",")+`],"temperature_2m_max":[1e300]}}`,
		)),
	})
	got, err := getForecast(t.Context(), &c, forecastArgs{Location: "x"})
	if err != nil || got.Days != 5 || got.Timezone != "" {
		t.Fatalf("%+v, %v", got, err)
	}
	if text, err := json.Marshal(got); err != nil || len(text) > 3000 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}
