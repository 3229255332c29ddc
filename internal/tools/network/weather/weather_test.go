package weather

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/ports/netguard"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestGolden(t *testing.T) { tooltest.Golden(t, Set) }

// accounts is a config center.
type accounts map[string][]tool.ServiceEntry

func (a accounts) Entries(_ context.Context, service string) ([]tool.ServiceEntry, error) {
	return a[service], nil
}

// shared returns an entry of the tenant.
func shared(data map[string]string) []tool.ServiceEntry {
	return []tool.ServiceEntry{{Label: "default", Active: true, Shared: true, Data: data}}
}

// serve starts a server and returns its address.
func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// call returns a call behind the guard of workers, which lets no internal address pass that
// is not the tenant's.
func call(t *testing.T, center accounts) tool.Call {
	t.Helper()
	guard, err := netguard.New(netguard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(guard.Close)
	return tool.Call{HTTP: guard, Secrets: center, Clock: tooltest.Clock{T: time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)}}
}

// wants checks a request: its method, path and query.
func wants(t *testing.T, r *http.Request, path string, query url.Values) {
	t.Helper()
	if diff := cmp.Diff(query, r.URL.Query()); r.Method != http.MethodGet || r.URL.Path != path || r.Header.Get("User-Agent") != "Helve" ||
		r.Header.Get("Authorization") != "" || diff != "" {
		t.Errorf("%s %s, %v; query (-want +got):\n%s", r.Method, r.URL.Path, r.Header, diff)
	}
}

func says(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = io.WriteString(w, text)
}

// istanbul is an answer as https://open-meteo.com/en/docs/geocoding-api shows it.
const istanbul = `{"results":[{"id":745044,"name":"Istanbul","latitude":41.01384,"longitude":28.94966,"elevation":39.0,"feature_code":"PPLA","country_code":"TR","admin1_id":745042,"timezone":"Europe/Istanbul","population":14804116,"country_id":298795,"country":"Türkiye","admin1":"Istanbul"}],"generationtime_ms":0.66}`

// meteoNow and meteoDays are answers as https://open-meteo.com/en/docs shows them.
const (
	meteoNow = `{"latitude":41.0,"longitude":28.9375,"generationtime_ms":0.18,"utc_offset_seconds":10800,"timezone":"Europe/Istanbul","timezone_abbreviation":"GMT+3","elevation":39.0,
		"current_units":{"time":"iso8601","interval":"seconds","temperature_2m":"°C"},
		"current":{"time":"2026-06-01T15:00","interval":900,"temperature_2m":22.4,"apparent_temperature":21.6,"relative_humidity_2m":45,"is_day":1,"weather_code":2,"cloud_cover":40,"pressure_msl":1012.8,"wind_speed_10m":15.2,"wind_direction_10m":314,"visibility":10000.0,"uv_index":6.35}}`
	meteoDays = `{"latitude":41.0,"longitude":28.9375,"timezone":"Europe/Istanbul",
		"daily":{"time":["2026-06-01","2026-06-02","2026-06-03"],"weather_code":[61,0,null],"temperature_2m_max":[24.6,26.1,null],"temperature_2m_min":[15.4,16.0,-0.3],"temperature_2m_mean":[19.9,null,null],
		"relative_humidity_2m_mean":[70,61],"precipitation_probability_max":[80,5,0],"sunrise":["2026-06-01T05:32","2026-06-02T05:31","2026-06-03T05:31"],"sunset":["2026-06-01T20:30","2026-06-02T20:31","2026-06-03T20:31"],"uv_index_max":[7.05,8.4,0]}}`
)

// meteo returns the account of a server that plays both services of Open-Meteo.
func meteo(t *testing.T, places, forecasts http.HandlerFunc) []tool.ServiceEntry {
	t.Helper()
	return shared(map[string]string{"geocoding_url": serve(t, places), "base_url": serve(t, forecasts)})
}

// always answers every request with a text.
func always(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { says(w, text) }
}

// fails answers every request with a status.
func fails(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(status)
	}
}
