package money

import (
	"strings"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// decimals lists the currencies of ISO 4217 that are in use, by the number of their
// decimals. The tables of golang.org/x/text have the decimals that are customary instead,
// and lack new currencies.
var decimals = [...]string{
	0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
	2: "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD " +
		"CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP " +
		"GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL " +
		"MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN " +
		"QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD " +
		"TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG",
	3: "BHD IQD JOD KWD LYD OMR TND",
	4: "CLF UYW",
}

// Currency returns the code of a currency in upper case.
func Currency(text string) (string, error) {
	code := strings.ToUpper(strings.TrimSpace(text))
	if _, known := digits(code); !known {
		return "", tool.Fail(tool.ValidationError, "%q is no currency in use; write its code by ISO 4217, such as EUR, USD or TRY",
			textcut.Excerpt(text, 30))
	}
	return code, nil
}

// digits returns the number of decimals of a currency.
func digits(code string) (int, bool) {
	if len(code) != 3 {
		return 0, false
	}
	for n, list := range decimals {
		if i := strings.Index(list, code); i >= 0 && i%4 == 0 {
			return n, true
		}
	}
	return 0, false
}
