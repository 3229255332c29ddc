package weather

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// The variables that are asked for (https://open-meteo.com/en/docs).
const (
	currentVariables = "temperature_2m,apparent_temperature,relative_humidity_2m,is_day,weather_code,cloud_cover,pressure_msl," +
		"wind_speed_10m,wind_direction_10m,visibility,uv_index"
	dailyVariables = "weather_code,temperature_2m_max,temperature_2m_min,temperature_2m_mean,relative_humidity_2m_mean," +
		"precipitation_probability_max,sunrise,sunset,uv_index_max"
)

// meteoAnswer is the answer to a request for a forecast.
type meteoAnswer struct {
	Timezone string        `json:"timezone"`
	Current  *meteoCurrent `json:"current"`
	Daily    *meteoDaily   `json:"daily"`
}

type meteoCurrent struct {
	Temperature *float64 `json:"temperature_2m"`
	FeelsLike   *float64 `json:"apparent_temperature"`
	Humidity    *float64 `json:"relative_humidity_2m"`
	IsDay       *float64 `json:"is_day"`
	Sky         *float64 `json:"weather_code"`
	Cloud       *float64 `json:"cloud_cover"`
	Pressure    *float64 `json:"pressure_msl"`
	Wind        *float64 `json:"wind_speed_10m"`
	From        *float64 `json:"wind_direction_10m"`
	Visibility  *float64 `json:"visibility"` // metres
	UV          *float64 `json:"uv_index"`
}

type meteoDaily struct {
	Time     []string   `json:"time"`
	Sky      []*float64 `json:"weather_code"`
	High     []*float64 `json:"temperature_2m_max"`
	Low      []*float64 `json:"temperature_2m_min"`
	Avg      []*float64 `json:"temperature_2m_mean"`
	Humidity []*float64 `json:"relative_humidity_2m_mean"`
	Rain     []*float64 `json:"precipitation_probability_max"`
	Sunrise  []string   `json:"sunrise"`
	Sunset   []string   `json:"sunset"`
	UV       []*float64 `json:"uv_index_max"`
}

func askOpenMeteo(ctx context.Context, call *tool.Call, q query) (*report, error) {
	where, err := find(ctx, call, q.place)
	if err != nil {
		return nil, err
	}
	forecasts, err := meteoClient(ctx, call, openMeteo)
	if err != nil {
		return nil, err
	}
	query := url.Values{
		"latitude": {degrees(where.Latitude)}, "longitude": {degrees(where.Longitude)}, "timezone": {"auto"},
	}
	if q.days == 0 {
		query.Set("current", currentVariables)
	} else {
		query.Set("daily", dailyVariables)
		query.Set("forecast_days", strconv.Itoa(q.days))
	}
	var answer meteoAnswer
	if err := forecasts.JSON(ctx, outward.Request{Path: "v1/forecast", Query: query}, &answer); err != nil {
		return nil, err
	}
	got := &report{place: where.label(), zone: zoneName(answer.Timezone)}
	switch {
	case q.days == 0 && answer.Current != nil && answer.Current.Temperature != nil:
		got.now = answer.Current.conditions()
	case q.days > 0 && answer.Daily != nil && len(answer.Daily.Time) > 0:
		got.days = answer.Daily.days()
	default:
		return nil, forecasts.Senseless("it has no weather")
	}
	return got, nil
}

// meteoClient returns a client with the account of the caller, or without one.
func meteoClient(ctx context.Context, call *tool.Call, s outward.Service) (*outward.Client, error) {
	c, err := outward.Find(ctx, call, s)
	if c == nil && err == nil {
		return s.Anonymous(call)
	}
	return c, err
}

func degrees(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func (m *meteoCurrent) conditions() conditions {
	c := conditions{
		temperature: m.Temperature, feelsLike: m.FeelsLike, humidity: m.Humidity, cloud: m.Cloud, wind: m.Wind, from: m.From,
		visibility: scaled(m.Visibility, 0.001, 0), pressure: m.Pressure, uv: m.UV, sky: code(m.Sky),
	}
	if m.IsDay != nil {
		c.day = new(*m.IsDay != 0)
	}
	return c
}

func (m *meteoDaily) days() []day {
	days := make([]day, min(len(m.Time), mostDays))
	for i := range days {
		days[i] = day{
			date: textcut.First(m.Time[i], len(time.DateOnly)), high: at(m.High, i), low: at(m.Low, i), avg: at(m.Avg, i),
			humidity: at(m.Humidity, i), rain: at(m.Rain, i), uv: at(m.UV, i), sunrise: clock(at(m.Sunrise, i)), sunset: clock(at(m.Sunset, i)),
			sky: code(at(m.Sky, i)),
		}
		if d := &days[i]; d.avg == nil && d.high != nil && d.low != nil {
			d.avg = new((*d.high + *d.low) / 2)
		}
	}
	return days
}

// at returns an item, or the zero value if the list is too short.
func at[T any](list []T, i int) (item T) {
	if i < len(list) {
		item = list[i]
	}
	return item
}

func code(v *float64) *int {
	if v == nil {
		return nil
	}
	return new(int(*v))
}

// clock returns the time of a local time such as 2026-06-01T05:43.
func clock(text string) string {
	_, text, _ = strings.Cut(text, "T")
	return textcut.First(text, len("05:43"))
}
