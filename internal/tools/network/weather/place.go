package weather

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/language"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"

	"github.com/helve-dev/helve/internal/lib/nearest"
	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// place is a result of the search for places (https://open-meteo.com/en/docs/geocoding-api).
type place struct {
	Name        string  `json:"name"`
	Latitude    float64 `json:"latitude"`
	Longitude   float64 `json:"longitude"`
	CountryCode string  `json:"country_code"`
	Country     string  `json:"country"`
	Admin1      string  `json:"admin1"`
	Admin2      string  `json:"admin2"`
	Admin3      string  `json:"admin3"`
}

// found is the number of places that a search returns; with a region or country behind the
// name there may be many of the name elsewhere.
const (
	found         = "10"
	foundAnywhere = "100"
)

// find returns the place that a location means. "Paris, Texas" is the first Paris in Texas.
func find(ctx context.Context, call *tool.Call, location string) (place, error) {
	places, err := meteoClient(ctx, call, openMeteoPlaces)
	if err != nil {
		return place{}, err
	}
	name, within, _ := strings.Cut(location, ",")
	query := url.Values{"name": {strings.TrimSpace(name)}, "count": {found}, "language": {"en"}, "format": {"json"}}
	if within != "" {
		query.Set("count", foundAnywhere)
	}
	var answer struct {
		Results []place `json:"results"`
	}
	if err := places.JSON(ctx, outward.Request{Path: "v1/search", Query: query}, &answer); err != nil {
		return place{}, err
	}
	for _, typos := range []int{0, 2} {
		if i := slices.IndexFunc(answer.Results, func(p place) bool { return p.within(within, typos) }); i >= 0 {
			return answer.Results[i], nil
		}
	}
	return place{}, noPlace(location)
}

// within reports whether the place lies in all of the given areas, parted by commas.
func (p place) within(areas string, typos int) bool {
	for area := range strings.SplitSeq(areas, ",") {
		if area = fold(area); area != "" && !p.in(area, typos) {
			return false
		}
	}
	return true
}

// in reports whether the place lies in an area: a country or region, by its name, with at
// most as many typos, or its code.
func (p place) in(area string, typos int) bool {
	if region, err := language.ParseRegion(strings.ToUpper(area)); err == nil &&
		strings.EqualFold(region.Canonicalize().String(), p.CountryCode) {
		return true
	}
	for _, name := range []string{p.Country, p.Admin1, p.Admin2, p.Admin3} {
		if name = fold(name); name != "" &&
			(area == name || abbreviates(area, name) || len(area) > 4 && nearest.Distance(area, name, typos) <= typos) {
			return true
		}
	}
	return false
}

// abbreviates reports whether short is a usual abbreviation of a name: two or three of its
// letters in their order, the first of them the first, such as TX for Texas.
func abbreviates(short, name string) bool {
	if len(short) < 2 || len(short) > 3 || short[0] != name[0] {
		return false
	}
	for _, letter := range short {
		at := strings.IndexRune(name, letter)
		if at < 0 {
			return false
		}
		name = name[at+1:]
	}
	return true
}

// fold returns a name in lower case without accents and dots.
func fold(name string) string {
	plain, _, err := transform.String(transform.Chain(norm.NFD, runes.Remove(runes.In(unicode.Mn)), norm.NFC), name)
	if err != nil {
		plain = name
	}
	return strings.ToLower(strings.TrimSpace(strings.ReplaceAll(plain, ".", "")))
}

// label returns the name that a result shows.
func (p place) label() string { return label(p.Name, strings.ToUpper(p.CountryCode), p.Country) }

// label returns a place's name and the first of its countries that is not empty.
func label(name string, countries ...string) string {
	const longestName = 100
	name = textcut.FitChars(name, longestName)
	for _, country := range countries {
		if country != "" {
			return name + ", " + textcut.FitChars(country, longestName)
		}
	}
	return name
}

// zoneName returns the name of a time zone as a provider reports it, if it looks like one.
func zoneName(name string) string {
	const longestZone = 64
	if len(name) > longestZone {
		return ""
	}
	return name
}
