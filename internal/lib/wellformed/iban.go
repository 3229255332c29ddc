package wellformed

import (
	"fmt"
	"strings"
)

// ibanLengths lists the lengths by country in the SWIFT registry, and of some countries
// that use IBANs without being in it.
const ibanLengths = "AD24 AE23 AL28 AO25 AT20 AZ28 BA20 BE16 BF28 BG22 BH22 BI27 BJ28 BR29 BY28 CF27 CG27 CH21 CI28 CM27 CR22 CV25 " +
	"CY28 CZ24 " +
	"DE22 DJ27 DK18 DO28 DZ26 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GA27 GB22 GE22 GI23 GL18 GQ27 GR27 GT28 GW25 HN28 HR21 HU28 " +
	"IE22 IL23 IQ23 IR26 IS26 IT27 JO30 KM27 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MA28 MC27 MD24 ME22 MG27 MK19 ML28 MN20 MR27 MT31 " +
	"MU30 MZ25 " +
	"NE28 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SN28 SO23 ST25 SV28 " +
	"TD27 TG28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"

// IBAN returns the country of an IBAN, or the reason why it is invalid.
func IBAN(text string) (country, reason string) {
	const shortest, longest, longestText = 15, 34, 100
	iban := strings.ToUpper(bareNumber(text, "-"))
	switch {
	case len(text) > longestText || len(iban) < shortest || len(iban) > longest:
		return "", "IBAN length is not between 15 and 34"
	case strings.ContainsFunc(iban, notInIBAN) || OnlyDigits(iban[:1]) || OnlyDigits(iban[1:2]) || !OnlyDigits(iban[2:4]):
		return "", "IBAN should be a country code, two digits, then letters and digits"
	}
	country = iban[:2]
	_, after, known := strings.Cut(ibanLengths, country)
	switch {
	case !known:
		return "", "IBAN country code " + country + " is not known"
	case fmt.Sprint(len(iban)) != after[:2]:
		return "", "IBAN length should be " + after[:2] + " for " + country
	case ibanRemainder(iban) != 1:
		return "", "IBAN checksum is wrong"
	}
	return country, ""
}

// ibanRemainder returns the number of an IBAN modulo 97; letters count from A = 10, and
// the first four characters are moved to the end.
func ibanRemainder(iban string) int {
	const modulus = 97
	remainder := 0
	for _, c := range iban[4:] + iban[:4] {
		if c >= 'A' {
			remainder = (remainder*100 + int(c-'A') + 10) % modulus
		} else {
			remainder = (remainder*10 + int(c-'0')) % modulus
		}
	}
	return remainder
}

func notInIBAN(r rune) bool { return (r < 'A' || r > 'Z') && (r < '0' || r > '9') }
