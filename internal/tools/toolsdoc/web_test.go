package toolsdoc

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/helve-dev/helve/internal/ports/netguard"
)

// examplePage is the page of example.com, exampleUsers an API there, exampleRates the answer
// of the rates service, and exampleFound that of a SearXNG server.
const (
	examplePage = `<!doctype html>
<html lang="en">
<head><title>Example Domain</title><meta charset="utf-8"><style>body { color: #333 }</style></head>
<body>
<h1>Example Domain</h1>
<p>This domain is for use in documentation examples without needing permission.</p>
<p><a href="https://iana.org/domains/example">Learn more</a></p>
</body>
</html>
`
	exampleRates = `{"amount":1.0,"base":"USD","date":"2026-01-02","rates":{"EUR":0.8512}}`
	exampleUsers = `{"users":[{"name":"Ann","active":true},{"name":"Ben","active":false}]}`
	exampleFound = `{"query":"history of the astrolabe","number_of_results":0,"results":[
		{"url":"https://example.com/astrolabe","title":"The astrolabe","content":"A history of the instrument from Hipparchus to the quadrant.","engine":"example"},
		{"url":"https://example.org/stars","title":"How people measured the stars","content":"Astrolabes, sextants and what came after.","engine":"example"}],
		"answers":[],"corrections":[],"infoboxes":[],"suggestions":[],"unresponsive_engines":[]}`
)

// exampleServices has the answers of services, by host and path.
var exampleServices = map[string]string{
	"geocoding-api.open-meteo.com/v1/search": `{"results":[{"name":"Istanbul","latitude":41.01384,"longitude":28.94966,"country_code":"TR","country":"Türkiye","admin1":"Istanbul"}]}`,
	"api.open-meteo.com/v1/forecast": `{"timezone":"Europe/Istanbul",
		"current":{"temperature_2m":8.6,"apparent_temperature":5.1,"relative_humidity_2m":71,"is_day":1,"weather_code":61,"cloud_cover":90,"pressure_msl":1016.2,"wind_speed_10m":21.3,"wind_direction_10m":22,"visibility":14200,"uv_index":1.2},
		"daily":{"time":["2026-01-02","2026-01-03"],"weather_code":[61,2],"temperature_2m_max":[9.4,11.2],"temperature_2m_min":[5.8,4.9],"temperature_2m_mean":[7.7,8.0],"relative_humidity_2m_mean":[74,66],
		"precipitation_probability_max":[85,10],"sunrise":["2026-01-02T08:29","2026-01-03T08:29"],"sunset":["2026-01-02T17:47","2026-01-03T17:48"],"uv_index_max":[1.9,2.2]}}`,
}

// edge is the network of the examples: the workers' guard, and behind it a server that
// answers for every host.
type edge struct {
	guard  *netguard.Guard
	server string // HOST:PORT
}

func newEdge(t *testing.T) edge {
	t.Helper()
	mux := http.NewServeMux()
	says := func(kind, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Date"] = nil
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, text)
		}
	}
	mux.HandleFunc("GET /example.com/{$}", says("text/html; charset=utf-8", examplePage))
	mux.HandleFunc("GET /example.com/users", says("application/json", exampleUsers))
	mux.HandleFunc("GET /search.example.net/search", says("application/json", exampleFound))
	mux.HandleFunc("GET /api.frankfurter.dev/v1/latest", says("application/json; charset=utf-8", exampleRates))
	models(t, mux)
	for at, text := range exampleServices {
		mux.HandleFunc("GET /"+at, says("application/json; charset=utf-8", text))
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	e := edge{server: server.Listener.Addr().String()}
	var err error
	if e.guard, err = netguard.New(netguard.Options{Allow: []string{e.server}}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.guard.Close)
	return e
}

// Do implements [tool.HTTP]. The host is passed to the server in the path, and the
// response keeps the requested address.
func (e edge) Do(req *http.Request) (*http.Response, error) {
	there := req.Clone(req.Context())
	there.Host = ""
	there.URL = &url.URL{Scheme: "http", Host: e.server, Path: "/" + req.URL.Host + req.URL.Path, RawQuery: req.URL.RawQuery}
	resp, err := e.guard.Do(there)
	if err == nil {
		resp.Request = req
	}
	return resp, err
}

func TestEdge(t *testing.T) {
	e := newEdge(t)
	for address, want := range map[string]int{"https://example.com/": 200, "https://example.com/none": 404, "https://example.org/": 404} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := e.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil || resp.StatusCode != want || resp.Request.URL.String() != address {
			t.Errorf("%s: status %d of %s, %v, want %d", address, resp.StatusCode, resp.Request.URL, err, want)
		}
	}
}
