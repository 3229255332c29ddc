package weather

// sky describes a WMO code.
type sky struct{ words, day, night string }

// skies are the codes of WMO table 4677 that Open-Meteo uses ("WMO Weather interpretation
// codes", https://open-meteo.com/en/docs). The codes of the other providers are mapped to
// these.
var skies = map[int]sky{
	0:  {"Clear sky", "☀️", "🌙"},
	1:  {"Mainly clear", "🌤️", "🌙"},
	2:  {"Partly cloudy", "⛅", "☁️"},
	3:  {"Overcast", "☁️", "☁️"},
	45: {"Fog", "🌫️", "🌫️"},
	48: {"Depositing rime fog", "🌫️", "🌫️"},
	51: {"Light drizzle", "🌦️", "🌧️"},
	53: {"Moderate drizzle", "🌦️", "🌧️"},
	55: {"Dense drizzle", "🌧️", "🌧️"},
	56: {"Light freezing drizzle", "🌧️", "🌧️"},
	57: {"Dense freezing drizzle", "🌧️", "🌧️"},
	61: {"Slight rain", "🌦️", "🌧️"},
	63: {"Moderate rain", "🌧️", "🌧️"},
	65: {"Heavy rain", "🌧️", "🌧️"},
	66: {"Light freezing rain", "🌧️", "🌧️"},
	67: {"Heavy freezing rain", "🌧️", "🌧️"},
	71: {"Slight snowfall", "🌨️", "🌨️"},
	73: {"Moderate snowfall", "🌨️", "🌨️"},
	75: {"Heavy snowfall", "❄️", "❄️"},
	77: {"Snow grains", "🌨️", "🌨️"},
	80: {"Slight rain showers", "🌦️", "🌧️"},
	81: {"Moderate rain showers", "🌧️", "🌧️"},
	82: {"Violent rain showers", "⛈️", "⛈️"},
	85: {"Slight snow showers", "🌨️", "🌨️"},
	86: {"Heavy snow showers", "❄️", "❄️"},
	95: {"Thunderstorm", "⛈️", "⛈️"},
	96: {"Thunderstorm with slight hail", "⛈️", "⛈️"},
	99: {"Thunderstorm with heavy hail", "⛈️", "⛈️"},
}

// shown returns the words and the icon of a code; "Unknown" and no icon if it is none.
func shown(code *int, day *bool) (words, icon string) {
	if code == nil {
		return "Unknown", ""
	}
	s, known := skies[*code]
	switch {
	case !known:
		return "Unknown", ""
	case day != nil && !*day:
		return s.words, s.night
	}
	return s.words, s.day
}

// span maps a range of a provider's codes to a WMO code.
type span struct{ from, to, wmo int }

// mapped returns the WMO code of a provider's code: that of the first range with it.
func mapped(spans []span, code int) *int {
	for _, s := range spans {
		if s.from <= code && code <= s.to {
			return &s.wmo
		}
	}
	return nil
}
