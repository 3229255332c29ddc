package weather

import (
	"math"
	"strconv"
)

// units writes values with their unit, in one system.
type units struct{ imperial bool }

// whole returns a number without decimals.
func whole(v float64) string {
	if v = math.Round(v); v == 0 {
		v = 0 // not -0
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// write returns a value with its unit; "" if it is unknown.
func write(v *float64, unit string) string {
	if v == nil || math.IsNaN(*v) || math.IsInf(*v, 0) {
		return ""
	}
	return whole(*v) + unit
}

// scaled returns a value in another unit; nil if it is unknown.
func scaled(v *float64, by, plus float64) *float64 {
	if v == nil {
		return nil
	}
	w := *v*by + plus
	return &w
}

func percent(v *float64) string { return write(v, "%") }

// temperature takes °C.
func (u units) temperature(v *float64) string {
	if u.imperial {
		return write(scaled(v, 1.8, 32), "°F")
	}
	return write(v, "°C")
}

const milesPerKilometre = 0.621371

// wind takes km/h and the degrees that it comes from.
func (u units) wind(speed, from *float64) string {
	text := write(speed, " km/h")
	if u.imperial {
		text = write(scaled(speed, milesPerKilometre, 0), " mph")
	}
	if text == "" || from == nil {
		return text
	}
	return text + " " + compass(*from)
}

// distance takes km. A short distance has a decimal.
func (u units) distance(v *float64) string {
	unit := " km"
	if u.imperial {
		v, unit = scaled(v, milesPerKilometre, 0), " mi"
	}
	if v != nil && *v >= 0 && *v < 9.95 {
		return strconv.FormatFloat(math.Round(*v*10)/10, 'f', -1, 64) + unit
	}
	return write(v, unit)
}

// pressure takes hPa.
func (u units) pressure(v *float64) string {
	if !u.imperial || v == nil {
		return write(v, " hPa")
	}
	return strconv.FormatFloat(*v*0.02953, 'f', 2, 64) + " inHg"
}

// compass returns the point of the compass at an angle.
func compass(degrees float64) string {
	points := []string{"N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW"}
	degrees = math.Mod(math.Mod(degrees, 360)+360, 360)
	if math.IsNaN(degrees) {
		return ""
	}
	return points[int(math.Round(degrees/22.5))%len(points)]
}

// index returns a UV index with a decimal; nil if it is unknown.
func index(v *float64) *float64 {
	if v == nil || math.IsNaN(*v) || math.IsInf(*v, 0) {
		return nil
	}
	return new(math.Round(*v*10) / 10)
}
