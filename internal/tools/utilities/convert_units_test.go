package utilities

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestConvertUnits(t *testing.T) {
	tooltest.Run(t, Set, "convert_units", tool.Call{}, []tooltest.Case{
		{
			Name: "length", Args: `{"value":5,"from":"km","to":"m"}`,
			Want: `{"from":{"value":5,"unit":"km"},"to":{"value":5000,"unit":"m"},"category":"length"}`,
		},
		{
			Name: "temperature", Args: `{"value":0,"from":"celsius","to":"fahrenheit"}`,
			Want: `{"from":{"value":0,"unit":"celsius"},"to":{"value":32,"unit":"fahrenheit"},"category":"temperature"}`,
		},
		{
			Name: "as written", Args: `{"value":100,"from":" °c ","to":"°f"}`,
			Want: `{"from":{"value":100,"unit":"°c"},"to":{"value":212,"unit":"°f"},"category":"temperature"}`,
		},
		{
			Name: "one sign for degrees", Args: `{"value":100,"from":"℃","to":"℉"}`,
			Want: `{"from":{"value":100,"unit":"℃"},"to":{"value":212,"unit":"℉"},"category":"temperature"}`,
		},
		{
			Name: "country", Args: `{"value":1,"from":"gal (US)","to":"pints (UK)"}`,
			Want: `{"from":{"value":1,"unit":"gal (US)"},"to":{"value":6.661393,"unit":"pints (UK)"},"category":"volume"}`,
		},
		{
			Name: "short for a country", Args: `{"value":1,"from":"qt (US)","to":"pt (US)"}`,
			Want: `{"from":{"value":1,"unit":"qt (US)"},"to":{"value":2,"unit":"pt (US)"},"category":"volume"}`,
		},
		{
			Name: "unknown", Args: `{"value":1,"from":"foo","to":"m"}`, Fails: tool.ValidationError,
			Message: "Unknown unit 'foo'. Known units: angle: deg,",
		},
		{
			Name: "unknown beside known", Args: `{"value":1,"from":"m","to":"foo"}`, Fails: tool.ValidationError,
			Message: "Unknown unit 'foo'. Known units: length: m, km",
		},
		{
			Name: "other dimension", Args: `{"value":1,"from":"kg","to":"km"}`, Fails: tool.ValidationError,
			Message: "Cannot convert kg (weight) to km (length)",
		},
		{Name: "currency", Args: `{"value":1,"from":"USD","to":"EUR"}`, Fails: tool.ValidationError, Message: "convert_currency"},
		{
			Name: "ton", Args: `{"value":1,"from":"ton","to":"kg"}`, Fails: tool.ValidationError,
			Message: "'ton' is ambiguous. Write it as one of: t (metric tonne, 1000 kg), short ton",
		},
		{Name: "tons", Args: `{"value":1,"from":"kg","to":"Tons"}`, Fails: tool.ValidationError, Message: "long ton (UK"},
		{Name: "Cal", Args: `{"value":1,"from":"Cal","to":"J"}`, Fails: tool.ValidationError, Message: "cal (4.184 J), kcal (food calorie"},
		{Name: "Calories", Args: `{"value":1,"from":"Calories","to":"J"}`, Fails: tool.ValidationError, Message: "is ambiguous"},
		{Name: "ambiguous", Args: `{"value":1,"from":"mw","to":"W"}`, Fails: tool.ValidationError, Message: "mW (power), MW (power)"},
		{Name: "bits or bytes", Args: `{"value":1,"from":"Mb","to":"KB"}`, Fails: tool.ValidationError, Message: "MB for bytes or Mbit for bits"},
		{
			Name: "bits or bytes a second", Args: `{"value":1,"from":"Mb/s","to":"KB/s"}`, Fails: tool.ValidationError,
			Message: "MB for bytes or Mbit for bits",
		},
		{Name: "too cold", Args: `{"value":-300,"from":"c","to":"f"}`, Fails: tool.ValidationError, Message: "absolute zero"},
		{Name: "no inverse", Args: `{"value":0,"from":"l/100km","to":"mpg"}`, Fails: tool.ValidationError, Message: "inverse"},
		{Name: "no inverse back", Args: `{"value":0,"from":"mpg","to":"l/100km"}`, Fails: tool.ValidationError, Message: "inverse"},
		{Name: "too large", Args: `{"value":1e308,"from":"km","to":"nm"}`, Fails: tool.ValidationError, Message: "larger"},
		{Name: "empty", Args: `{"value":1,"from":" ","to":"m"}`, Fails: tool.ValidationError, Message: "Unknown unit"},
		{Name: "two powers", Args: `{"value":1,"from":"square kg","to":"m2"}`, Fails: tool.ValidationError, Message: "Unknown unit"},
		{Name: "no such ratio", Args: `{"value":1,"from":"kg/s","to":"m/s"}`, Fails: tool.ValidationError, Message: "Unknown unit"},
		{Name: "half a ratio", Args: `{"value":1,"from":"/","to":"m per "}`, Fails: tool.ValidationError, Message: "Unknown unit"},
		{Name: "no number", Args: `{"value":"1","from":"m","to":"km"}`, Fails: tool.ValidationError, Message: "value"},
		{Name: "missing", Args: `{"value":1,"from":"m"}`, Fails: tool.ValidationError, Message: "to"},
	})
}

func TestConvertUnitsValues(t *testing.T) {
	var cases []tooltest.Case
	for _, c := range []struct {
		value    float64
		from, to string
		want     float64
		category string
	}{
		{1, "in", "cm", 2.54, "length"}, {1, "Metres", "FEET", 3.28084, "length"}, {1, "KILOMETRES", "METRES", 1000, "length"},
		{1, "KILOGRAMMES", "grammes", 1000, "weight"}, {1, "nautical miles", "km", 1.852, "length"}, {1, "nm", "m", 1e-9, "length"},
		{12, "inches", "'", 1, "length"}, {1, "µm", "um", 1, "length"}, {1, "ly", "km", 9460730472580.8, "length"},
		{-2, "yards", "ft", -6, "length"}, {1, "Mm", "km", 1000, "length"}, {1, "MM", "m", 0.001, "length"},
		{1, "lb", "kg", 0.453592, "weight"}, {1, "lbs", "oz", 16, "weight"}, {1, "tonnes", "kg", 1000, "weight"}, {1, "t", "kg", 1000, "weight"},
		{1, "short tons", "kg", 907.18474, "weight"}, {1, "US ton", "kg", 907.18474, "weight"}, {1, "ton (UK)", "kg", 1016.046909, "weight"},
		{1, "metric tons", "kg", 1000, "weight"}, {1, "stone", "pounds", 14, "weight"},
		{1, "mg", "g", 0.001, "weight"}, {1, "Mg", "kg", 1000, "weight"}, {1, "troy ounces", "g", 31.103477, "weight"},
		{273.15, "kelvin", "celsius", 0, "temperature"}, {20, "C", "K", 293.15, "temperature"}, {-40, "F", "C", -40, "temperature"},
		{98.6, "degrees fahrenheit", "deg C", 37, "temperature"},
		{0, "K", "rankine", 0, "temperature"}, {1, "k", "c", -272.15, "temperature"}, {-459.67, "f", "k", 0, "temperature"},
		{1, "gal", "l", 3.785412, "volume"}, {1, "imperial gallon", "litres", 4.54609, "volume"}, {1, "cup", "tbsp", 16, "volume"},
		{3, "tsp", "tbsp", 1, "volume"}, {1, "fl. oz.", "ml", 29.573530, "volume"}, {1, "cubic metre", "L", 1000, "volume"},
		{1, "cm3", "cc", 1, "volume"},
		{1, "cu ft", "l", 28.316847, "volume"}, {2, "pt", "quarts", 1, "volume"}, {1, "m³", "ft^3", 35.314667, "volume"},
		{1, "hectare", "m2", 10000, "area"}, {1, "m2", "ft2", 10.76391, "area"}, {1, "acre", "square feet", 43560, "area"},
		{1, "square mile", "acres", 640, "area"},
		{1, "sq ft", "sq. in", 144, "area"}, {1, "km²", "ha", 100, "area"}, {1, "sqm", "Square Meters", 1, "area"},
		{100, "km/h", "mph", 62.137119, "speed"}, {60, "miles per hour", "m/s", 26.8224, "speed"}, {1, "knot", "kph", 1.852, "speed"},
		{1, "feet per second", "mps", 0.3048, "speed"}, {1, "m/min", "m/h", 60, "speed"},
		{2, "h", "min", 120, "time"}, {1, "year", "days", 365.25, "time"}, {1, "year", "months", 12, "time"}, {1, "week", "hrs", 168, "time"},
		{1500, "ms", "s", 1.5, "time"}, {1, "centuries", "decades", 10, "time"},
		{1, "mb", "kb", 1000, "data"}, {1, "tb", "gb", 1000, "data"}, {1, "GiB", "GB", 1.073742, "data"}, {1, "GiB", "MiB", 1024, "data"},
		{1, "b", "bits", 8, "data"}, {8, "Mbit", "MB", 1, "data"}, {100, "Mbit", "MB", 12.5, "data"},
		{1, "kibibyte", "bytes", 1024, "data"}, {1, "EB", "bytes", 1e18, "data"}, {1, "Mibit", "KiB", 128, "data"},
		{100, "Mbps", "MB/s", 12.5, "data rate"}, {1, "kilobytes per second", "bps", 8000, "data rate"}, {1, "KiB/s", "bps", 8192, "data rate"},
		{1, "atm", "psi", 14.695949, "pressure"}, {1, "bar", "kPa", 100, "pressure"}, {760, "mm hg", "torr", 760.000108, "pressure"},
		{1, "MPa", "mPa", 1e9, "pressure"}, {1, "mpa", "pa", 1e6, "pressure"}, {29.92, "inHg", "hPa", 1013.207481, "pressure"},
		{1, "kWh", "MJ", 3.6, "energy"}, {1, "kcal", "kJ", 4.184, "energy"}, {1, "BTU", "J", 1055.055853, "energy"},
		{1, "mJ", "J", 0.001, "energy"}, {1, "eV", "J", 1.60218e-19, "energy"},
		{1, "hp", "W", 745.699872, "power"}, {1, "MW", "mW", 1e9, "power"}, {1, "kWh/h", "kW", 1, "power"}, {1, "PS", "hp", 0.98632, "power"},
		{1, "W", "J/s", 1, "power"},
		{1, "lbf", "N", 4.448222, "force"}, {1, "kgf", "newtons", 9.80665, "force"},
		{180, "degrees", "rad", 3.141593, "angle"}, {1, "turn", "grad", 400, "angle"}, {1, "°", "arcmin", 60, "angle"},
		{2.4, "GHz", "mhz", 2400, "frequency"}, {60, "rpm", "Hz", 1, "frequency"}, {1, "mHz", "Hz", 0.001, "frequency"},
		{30, "mpg", "l/100km", 7.840486, "fuel economy"}, {8, "l/100 km", "mpg", 29.401823, "fuel economy"},
		{1, "mi/gal", "mpg", 1, "fuel economy"}, {10, "km/l", "litres per 100 km", 10, "fuel economy"},
		{0, "l/100km", "l/100km", 0, "fuel economy"}, {0, "mpg", "km/l", 0, "fuel economy"},
		{1, "mm", "km", 1e-6, "length"}, {1, "nm", "km", 1e-12, "length"}, {1.23456789, "m", "m", 1.234568, "length"},
		{1e300, "m", "km", 1e297, "length"}, {0, "m", "km", 0, "length"},
	} {
		cases = append(cases, tooltest.Case{
			Name: fmt.Sprint(c.value, c.from, " ", c.to), Args: fmt.Sprintf(`{"value":%g,"from":%q,"to":%q}`, c.value, c.from, c.to),
			Want: fmt.Sprintf(`{"from":{"value":%g,"unit":%q},"to":{"value":%v,"unit":%q},"category":%q}`,
				c.value, c.from, big.NewFloat(c.want).Text('g', -1), c.to, c.category),
		})
	}
	tooltest.Run(t, Set, "convert_units", tool.Call{}, cases)
}
