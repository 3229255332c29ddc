package units

import (
	"maps"
	"math/big"
	"slices"
	"strings"
)

// Unit is one unit of measurement. A value in it is value * factor + offset in the base
// unit of its category; for an inverse unit it is factor / value.
type Unit struct {
	Category string
	symbol   string
	factor   *big.Rat
	offset   *big.Rat // of temperatures only
	inverse  bool
}

// row is a unit in the table: the symbol, its size in the base unit as an exact
// expression, and other names, in lower case and singular. After = the symbol is
// matched only as written: mHz is rare, and mhz means MHz.
type row struct {
	symbol, size, names string
}

// table lists every unit by category. The sizes are the legal definitions, exact to the
// last digit; only angles depend on pi. Kitchen volumes and points are those of the
// United States unless their names differ, data counts in 1024s as people do (kilobits
// in 1000s as networks do), a year has 365.25 days and a month is its twelfth part.
// Areas, volumes and speeds composed of lengths (square mile, cm3, km/h) follow from
// the rows of length.
var table = map[string][]row{
	"length": {
		{"m", "1", "meter"}, {"km", "1000", "kilometer"}, {"dm", "0.1", "decimeter"}, {"cm", "0.01", "centimeter"},
		{"mm", "0.001", "millimeter"}, {"um", "1e-6", "micrometer,micron"}, {"nm", "1e-9", "nanometer"}, {"pm", "1e-12", "picometer"},
		{"in", "0.0254", "inch,inche,\""}, {"ft", "0.3048", "foot,feet,'"}, {"yd", "0.9144", "yard"}, {"mi", "1609.344", "mile"},
		{"nmi", "1852", "nautical mile,sea mile"}, {"fathom", "1.8288", ""}, {"furlong", "201.168", ""}, {"mil", "0.0000254", "thou"},
		{"Mm", "1e6", "=megameter"}, {"au", "149597870700", "astronomical unit"}, {"ly", "9460730472580800", "light year,lightyear,light-year"},
		{"pc", "3.0856775814913673e16", "parsec"}, {"angstrom", "1e-10", "å"},
	},
	"weight": {
		{"kg", "1", "kilogram,kilo"}, {"g", "0.001", "gram,gramme"}, {"mg", "1e-6", "milligram"}, {"ug", "1e-9", "microgram,mcg"},
		{"t", "1000", "tonne,metric ton,mt"}, {"Mg", "1000", "=megagram"}, {"lb", "0.45359237", "pound,#"}, {"oz", "0.028349523125", "ounce"},
		{"st", "6.35029318", "stone"}, {"short ton", "907.18474", "us ton"}, {"long ton", "1016.0469088", "imperial ton,uk ton"},
		{"gr", "0.00006479891", "grain"}, {"ct", "0.0002", "carat"}, {"ozt", "0.0311034768", "troy ounce,oz t"},
		{"slug", "14.59390293720636", ""},
	},
	"volume": {
		{"l", "0.001", "liter"}, {"ml", "1e-6", "milliliter,cc"}, {"cl", "1e-5", "centiliter"}, {"dl", "1e-4", "deciliter"},
		{"hl", "0.1", "hectoliter"},
		{"gal", "0.003785411784", "us gallon,us gal,gallon"}, {"qt", "0.000946352946", "us quart,us qt,quart"},
		{"pint", "0.000473176473", "us pint,us pt,pt"}, {"cup", "0.0002365882365", "us cup"},
		{"floz", "0.0000295735295625", "fl oz,fluid ounce,us fluid ounce,us fl oz,fl-oz,fl_oz"},
		{"tbsp", "0.00001478676478125", "tablespoon"}, {"tsp", "0.00000492892159375", "teaspoon"}, {"bbl", "0.158987294928", "barrel,oil barrel"},
		{"imperial gal", "0.00454609", "imperial gallon,uk gal,uk gallon"}, {"imperial pint", "0.00056826125", "uk pint,imperial pt,uk pt"},
		{"imperial floz", "0.0000284130625", "imperial fluid ounce,imperial fl oz,uk fluid ounce,uk fl oz"},
	},
	"area": {
		{"ha", "10000", "hectare"}, {"acre", "4046.8564224", "ac"}, {"are", "100", ""}, {"sqm", "1", "qm"}, {"sqkm", "1e6", ""},
		{"sqft", "0.09290304", ""}, {"sqin", "0.00064516", ""}, {"sqyd", "0.83612736", ""}, {"sqmi", "2589988.110336", ""},
	},
	"time": {
		{"s", "1", "second,sec"}, {"ms", "0.001", "millisecond,msec"}, {"us", "1e-6", "microsecond"}, {"ns", "1e-9", "nanosecond"},
		{"min", "60", "minute"}, {"h", "3600", "hour,hr"}, {"d", "86400", "day"}, {"week", "604800", "wk"}, {"fortnight", "1209600", ""},
		{"month", "2629800", "mo"}, {"year", "31557600", "yr,y,a"}, {"decade", "315576000", ""}, {"century", "3155760000", "centurie"},
	},
	"speed": {
		{"mph", "0.44704", ""}, {"kph", "1000/3600", "kmh,kmph"}, {"mps", "1", ""}, {"fps", "0.3048", ""}, {"kn", "1852/3600", "knot,kt"},
	},
	"data": { // Mb and similar symbols are refused: some people mean bytes, some bits
		{"B", "8", "byte"}, {"kB", "8e3", "kilobyte"}, {"MB", "8e6", "megabyte"}, {"GB", "8e9", "gigabyte"}, {"TB", "8e12", "terabyte"},
		{"PB", "8e15", "petabyte"}, {"EB", "8e18", "exabyte"}, {"KiB", "8192", "kibibyte"}, {"MiB", "8388608", "mebibyte"},
		{"GiB", "8589934592", "gibibyte"}, {"TiB", "8796093022208", "tebibyte"}, {"PiB", "9007199254740992", "pebibyte"},
		{"EiB", "9223372036854775808", "exbibyte"}, {"Kibit", "1024", "kibibit"}, {"Mibit", "1048576", "mebibit"},
		{"Gibit", "1073741824", "gibibit"},
		{"bit", "1", ""}, {"kbit", "1e3", "kilobit"}, {"Mbit", "1e6", "megabit"}, {"Gbit", "1e9", "gigabit"}, {"Tbit", "1e12", "terabit"},
	},
	"data rate": {
		{"bps", "1", ""}, {"kbps", "1e3", ""}, {"Mbps", "1e6", ""}, {"Gbps", "1e9", ""}, {"Tbps", "1e12", ""},
	},
	"temperature": {
		{"K", "1", "kelvin"}, {"°C", "1+273.15", "c,celsius,centigrade,degree celsius,deg c,degc"},
		{"°F", "5/9+459.67*5/9", "f,fahrenheit,degree fahrenheit,deg f,degf"}, {"°R", "5/9", "rankine,degree rankine"},
	},
	"pressure": {
		{"Pa", "1", "pascal"}, {"hPa", "100", "hectopascal"}, {"kPa", "1000", "kilopascal"}, {"MPa", "1e6", "megapascal"},
		{"mPa", "0.001", "=millipascal"}, {"GPa", "1e9", "gigapascal"},
		{"bar", "1e5", ""}, {"mbar", "100", "millibar"}, {"atm", "101325", "atmosphere,standard atmosphere"},
		{"psi", "4.4482216152605/0.00064516", "pound per square inch,lbf/in2"}, {"torr", "101325/760", ""},
		{"mmHg", "133.322387415", "mm hg,millimeter of mercury"}, {"inHg", "3386.388640341", "in hg,inch of mercury"},
	},
	"energy": {
		{"J", "1", "joule"}, {"kJ", "1000", "kilojoule"}, {"MJ", "1e6", "megajoule"}, {"mJ", "0.001", "=millijoule"}, {"GJ", "1e9", "gigajoule"},
		{"cal", "4.184", "calorie"}, {"kcal", "4184", "kilocalorie,food calorie"},
		{"Wh", "3600", "watt hour,watt-hour"}, {"kWh", "3.6e6", "kilowatt hour,kilowatt-hour"}, {"mWh", "3.6", "=milliwatt hour"},
		{"MWh", "3.6e9", "megawatt hour,megawatt-hour"},
		{"BTU", "1055.05585262", "british thermal unit"}, {"eV", "1.602176634e-19", "electronvolt"}, {"therm", "105505585.262", ""},
		{"ft-lb", "1.3558179483314004", "foot-pound,foot pound,ft lb,ftlb"},
	},
	"power": {
		{"W", "1", "watt"}, {"mW", "0.001", "milliwatt"}, {"kW", "1000", "kilowatt"}, {"MW", "1e6", "megawatt"}, {"GW", "1e9", "gigawatt"},
		{"hp", "745.69987158227022", "horsepower"}, {"PS", "735.49875", "metric horsepower,metric hp"},
		{"BTU/h", "1055.05585262/3600", "btu per hour,btu/hr"},
	},
	"force": {
		{"N", "1", "newton"}, {"kN", "1000", "kilonewton"}, {"lbf", "4.4482216152605", "pound-force,pound force"},
		{"kgf", "9.80665", "kilogram-force,kilogram force,kilopond"}, {"dyn", "1e-5", "dyne"},
	},
	"angle": {
		{"deg", "1", "degree,°"}, {"rad", "180/3.14159265358979323846264338327950288", "radian"}, {"grad", "0.9", "gradian,gon"},
		{"turn", "360", "revolution,rev"}, {"arcmin", "1/60", "arcminute,minute of arc"}, {"arcsec", "1/3600", "arcsecond,second of arc"},
	},
	"frequency": {
		{"Hz", "1", "hertz"}, {"kHz", "1e3", "kilohertz"}, {"MHz", "1e6", "megahertz"}, {"mHz", "0.001", "=millihertz"},
		{"GHz", "1e9", "gigahertz"}, {"THz", "1e12", "terahertz"},
		{"rpm", "1/60", "revolution per minute,revolutions per minute"},
	},
	"fuel economy": {
		{"km/l", "1", "kmpl,kilometer per liter"}, {"mpg", "1.609344/3.785411784", "mile per gallon,miles per gallon,us mpg"},
		{"imperial mpg", "1.609344/4.54609", "uk mpg"},
		{"l/100km", "~100", "l/100 km,liter per 100 km,liter per 100 kilometers,liters per 100 km"},
	},
}

// index finds units by their symbols as written and by all names in lower case.
type index struct {
	symbols map[string]*Unit
	names   map[string][]*Unit
}

var known = makeIndex()

func makeIndex() index {
	index := index{symbols: map[string]*Unit{}, names: map[string][]*Unit{}}
	for _, category := range slices.Sorted(maps.Keys(table)) {
		for _, row := range table[category] {
			u := row.unit(category)
			index.symbols[row.symbol] = u
			lower := strings.ToLower(row.symbol)
			names, asWritten := strings.CutPrefix(row.names, "=")
			if !asWritten {
				index.names[lower] = append(index.names[lower], u)
			}
			for name := range strings.SplitSeq(names, ",") {
				if name != "" && name != lower {
					index.names[name] = append(index.names[name], u)
				}
			}
		}
	}
	return index
}

// unit parses a row: "a", "a/b" or, with an offset, "a+b"; after ~ an inverse.
func (r row) unit(category string) *Unit {
	u := &Unit{Category: category, symbol: r.symbol}
	size, inverse := strings.CutPrefix(r.size, "~")
	u.inverse = inverse
	factor, offset, shifted := strings.Cut(size, "+")
	u.factor = fraction(factor)
	if shifted {
		u.offset = fraction(offset)
	}
	return u
}

// fraction parses products and quotients of decimals, from the left. A test checks that
// the table contains nothing else.
func fraction(text string) *big.Rat {
	out := big.NewRat(1, 1)
	op := byte('*')
	for text != "" {
		end := strings.IndexAny(text, "*/")
		part := text
		if end >= 0 {
			part = text[:end]
		}
		r, ok := new(big.Rat).SetString(part)
		if !ok {
			return nil
		}
		if op == '/' {
			r.Inv(r)
		}
		out.Mul(out, r)
		if end < 0 {
			break
		}
		op, text = text[end], text[end+1:]
	}
	return out
}
