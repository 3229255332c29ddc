package weather

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/tool"
)

// owmSkies maps the condition ids of OpenWeatherMap
// (https://openweathermap.org/weather-conditions) to WMO codes.
var owmSkies = []span{
	{200, 232, 95}, {300, 300, 51}, {310, 310, 51}, {301, 311, 53}, {302, 321, 55},
	{500, 500, 61}, {501, 501, 63}, {502, 504, 65}, {511, 511, 66}, {520, 520, 80}, {521, 521, 81}, {522, 531, 82},
	{600, 600, 71}, {601, 601, 73}, {602, 602, 75}, {611, 616, 66}, {620, 621, 85}, {622, 622, 86},
	{701, 762, 45}, {771, 781, 82}, {800, 800, 0}, {801, 801, 1}, {802, 802, 2}, {803, 804, 3},
}

// owmMoment is the weather at a moment, in metric units.
type owmMoment struct {
	At   int64 `json:"dt"`
	Main *struct {
		Temperature *float64 `json:"temp"`
		FeelsLike   *float64 `json:"feels_like"`
		Low         *float64 `json:"temp_min"`
		High        *float64 `json:"temp_max"`
		Pressure    *float64 `json:"pressure"`
		Humidity    *float64 `json:"humidity"`
	} `json:"main"`
	Weather []struct {
		ID   int    `json:"id"`
		Icon string `json:"icon"`
	} `json:"weather"`
	Wind struct {
		Speed *float64 `json:"speed"` // m/s
		From  *float64 `json:"deg"`
	} `json:"wind"`
	Clouds struct {
		All *float64 `json:"all"`
	} `json:"clouds"`
	Visibility *float64 `json:"visibility"` // metres
	Rain       *float64 `json:"pop"`        // probability, 0 to 1
}

// owmNow is the answer of /data/2.5/weather (https://openweathermap.org/current).
type owmNow struct {
	owmMoment

	Name string `json:"name"`
	Sys  struct {
		Country string `json:"country"`
	} `json:"sys"`
}

// owmForecast is the answer of /data/2.5/forecast, in steps of three hours for five days
// (https://openweathermap.org/forecast5).
type owmForecast struct {
	List []owmMoment `json:"list"`
	City struct {
		Name    string `json:"name"`
		Country string `json:"country"`
		Zone    int    `json:"timezone"` // seconds east of UTC
		Sunrise int64  `json:"sunrise"`
		Sunset  int64  `json:"sunset"`
	} `json:"city"`
}

func askOpenWeatherMap(ctx context.Context, call *tool.Call, q query) (*report, error) {
	c, err := outward.Find(ctx, call, openWeatherMap)
	if c == nil || err != nil {
		return nil, err
	}
	get := func(path string, answer any) error {
		err := c.JSON(ctx, outward.Request{Path: path, Query: url.Values{"q": {strings.TrimSpace(q.place)}, "units": {"metric"}}}, answer)
		if outward.Status(err) == http.StatusNotFound {
			return noPlace(q.place)
		}
		return err
	}
	if q.days == 0 {
		var now owmNow
		if err := get("data/2.5/weather", &now); err != nil {
			return nil, err
		}
		if now.Main == nil || now.Main.Temperature == nil {
			return nil, c.Senseless("it has no weather")
		}
		return &report{place: label(now.Name, now.Sys.Country), now: now.conditions()}, nil
	}
	var f owmForecast
	if err := get("data/2.5/forecast", &f); err != nil {
		return nil, err
	}
	days := f.days()
	if len(days) == 0 {
		return nil, c.Senseless("it has no weather")
	}
	return &report{place: label(f.City.Name, f.City.Country), days: days}, nil
}

func (m *owmMoment) sky() *int {
	if len(m.Weather) == 0 {
		return nil
	}
	return mapped(owmSkies, m.Weather[0].ID)
}

func (m *owmMoment) conditions() conditions {
	c := conditions{
		temperature: m.Main.Temperature, feelsLike: m.Main.FeelsLike, humidity: m.Main.Humidity, cloud: m.Clouds.All,
		wind: scaled(m.Wind.Speed, 3.6, 0), from: m.Wind.From, visibility: scaled(m.Visibility, 0.001, 0), pressure: m.Main.Pressure,
		sky: m.sky(),
	}
	if len(m.Weather) > 0 && m.Weather[0].Icon != "" {
		c.day = new(strings.HasSuffix(m.Weather[0].Icon, "d")) // 10d and 10n
	}
	return c
}

// days returns the days of a forecast, in the time of the place.
func (f *owmForecast) days() []day {
	zone := time.FixedZone("", f.City.Zone)
	var days []day
	var of []owmMoment
	date := ""
	end := func() {
		if len(of) > 0 && len(days) < mostDays {
			days = append(days, owmDay(date, of, zone))
		}
	}
	for _, m := range f.List {
		if m.Main == nil || m.Main.Temperature == nil {
			continue
		}
		if on := time.Unix(m.At, 0).In(zone).Format(time.DateOnly); on != date {
			end()
			date, of = on, nil
		}
		of = append(of, m)
	}
	end()
	for i := range days {
		if rises := time.Unix(f.City.Sunrise, 0).In(zone); rises.Format(time.DateOnly) == days[i].date {
			days[i].sunrise, days[i].sunset = rises.Format("15:04"), time.Unix(f.City.Sunset, 0).In(zone).Format("15:04")
		}
	}
	return days
}

// owmDay sums up the moments of a day; its sky is that of the moment nearest to noon.
func owmDay(date string, moments []owmMoment, zone *time.Location) day {
	d := day{date: date}
	var temperatures, humidities mean
	nearest := 24
	for i := range moments {
		m := &moments[i]
		d.high, d.low = further(d.high, m.Main.High, 1), further(d.low, m.Main.Low, -1)
		d.rain = further(d.rain, scaled(m.Rain, 100, 0), 1)
		temperatures.add(m.Main.Temperature)
		humidities.add(m.Main.Humidity)
		hour := time.Unix(m.At, 0).In(zone).Hour()
		if away := max(hour-12, 12-hour); away < nearest {
			nearest, d.sky = away, m.sky()
		}
	}
	d.avg, d.humidity = temperatures.value(), humidities.value()
	return d
}

// further returns the greater of two values, with sign -1 the smaller; nil counts as none.
func further(a, b *float64, sign float64) *float64 {
	if a == nil || b != nil && *b*sign > *a*sign {
		return b
	}
	return a
}

// mean sums up values.
type mean struct{ sum, n float64 }

func (m *mean) add(v *float64) {
	if v != nil {
		m.sum, m.n = m.sum+*v, m.n+1
	}
}

func (m *mean) value() *float64 {
	if m.n == 0 {
		return nil
	}
	return new(m.sum / m.n)
}
