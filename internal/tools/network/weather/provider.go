package weather

import (
	"context"
	"net/http"
	"time"

	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/tool"
)

// provider is a service that reports the weather. Its ask returns nil and no error if the
// caller has no account.
type provider struct {
	name string
	ask  func(ctx context.Context, call *tool.Call, q query) (*report, error)
}

// providers are all providers, in the order in which they are asked.
var providers = []provider{
	{openMeteo.Name, askOpenMeteo},
	{openWeatherMap.Name, askOpenWeatherMap},
	{weatherAPI.Name, askWeatherAPI},
}

// patience bounds the time of a provider; a silent one leaves time for the next.
const patience = 8 * time.Second

// longest is the time limit of a call.
const longest = 30 * time.Second

func (p provider) within(ctx context.Context, call *tool.Call, q query) (*report, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return p.ask(ctx, call, q)
}

// queryKey returns a Sign that sends the key of an entry as a parameter of the address.
func queryKey(parameter string) func(*http.Request, map[string]string) {
	return func(req *http.Request, data map[string]string) {
		if key := data["api_key"]; key != "" {
			query := req.URL.Query()
			query.Set(parameter, key)
			req.URL.RawQuery = query.Encode()
		}
	}
}

// openMeteo is the service of forecasts. A key is one of a paid plan, which has servers of
// its own.
var openMeteo = outward.Service{
	Name: "openmeteo", Base: publicForecasts, Use: "to report the weather", Set: "--stdin api_key", Sign: queryKey("apikey"),
	Address: func(data map[string]string) string {
		return paid(data, "base_url", publicForecasts, "https://customer-api.open-meteo.com")
	},
}

// openMeteoPlaces is the service that finds places, with the same account.
var openMeteoPlaces = outward.Service{
	Name: "openmeteo", Base: publicPlaces, Use: "to find a place", Set: "--stdin api_key", Sign: queryKey("apikey"),
	Address: func(data map[string]string) string {
		return paid(data, "geocoding_url", publicPlaces, "https://customer-geocoding-api.open-meteo.com")
	},
}

const (
	publicForecasts = "https://api.open-meteo.com"
	publicPlaces    = "https://geocoding-api.open-meteo.com"
)

func paid(data map[string]string, field, public, customers string) string {
	if address := data[field]; data["api_key"] == "" || address != "" && address != public {
		return address
	}
	return customers
}

var openWeatherMap = outward.Service{
	Name: "openweathermap", Base: "https://api.openweathermap.org", Use: "to report the weather", Set: "--stdin api_key",
	Sign: queryKey("appid"),
}

var weatherAPI = outward.Service{
	Name: "weatherapi", Base: "https://api.weatherapi.com", Use: "to report the weather", Set: "--stdin api_key", Sign: queryKey("key"),
}
