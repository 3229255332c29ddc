package wellformed

import (
	"net/netip"
	"strings"
	"unicode"

	"github.com/google/uuid"
)

// bareNumber removes the separators that people put between the digits of a long
// number.
func bareNumber(s, separators string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune(separators, r) {
			return -1
		}
		return r
	}, s)
}

// phoneCodes lists the calling codes of countries, and of services that span them; no
// code begins another one.
const phoneCodes = " 1 7 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86 " +
	"90 91 92 93 94 95 98" +
	" 211 212 213 216 218 220 221 222 223 224 225 226 227 228 229 230 231 232 233 234 235 236 237 238 239 240 241 242 243 244 245 246 " +
	"247 248 249" +
	" 250 251 252 253 254 255 256 257 258 260 261 262 263 264 265 266 267 268 269 290 291 297 298 299" +
	" 350 351 352 353 354 355 356 357 358 359 370 371 372 373 374 375 376 377 378 379 380 381 382 383 385 386 387 389 420 421 423" +
	" 500 501 502 503 504 505 506 507 508 509 590 591 592 593 594 595 596 597 598 599 670 672 673 674 675 676 677 678 679 680 681 682 683 " +
	"685 686 687 688 689 690 691 692" +
	" 800 808 850 852 853 855 856 870 878 880 881 882 883 886 888 960 961 962 963 964 965 966 967 968 970 971 972 973 974 975 976 977 979 " +
	"992 993 994 995 996 998 "

// Phone returns the digits of a phone number, or the reason why it is invalid. It does
// not check whether a number is assigned, so examples such as 555 numbers pass. The (0) of
// +49 (0)30 123456 is dialled only within the country, and is not among the digits.
func Phone(text string) (digits, reason string) {
	const shortest, longest, longestText = 10, 15, 40
	digits, international := strings.CutPrefix(bareNumber(withoutTrunk(text), "()-./"), "+")
	switch {
	case strings.TrimSpace(text) == "":
		return "", "Phone number is empty"
	case len(text) > longestText:
		return "", "Phone number is too long"
	case digits == "":
		return "", "Phone number has no digits"
	case strings.Contains(digits, "+") && OnlyDigits(strings.ReplaceAll(digits, "+", "0")):
		return "", "Phone number should have one + at most, before everything else"
	case !OnlyDigits(digits):
		return "", "Phone number should have only digits, spaces and + ( ) - . /"
	case international:
		if problem := phoneCodeProblem(digits); problem != "" {
			return "", problem
		}
	case len(digits) < shortest || len(digits) > longest:
		return "", "Phone number should be 10-15 digits"
	}
	return digits, ""
}

// withoutTrunk returns an international number without the trunk prefix in parentheses
// behind the code of the country.
func withoutTrunk(text string) string {
	code, rest, found := strings.Cut(text, "(0)")
	if digits, international := strings.CutPrefix(bareNumber(code, "-./"), "+"); found && international && knownCode(digits) == len(digits) {
		return code + rest
	}
	return text
}

// knownCode returns the length of the calling code that digits begin with, or 0.
func knownCode(digits string) int {
	for n := 1; n <= min(3, len(digits)); n++ {
		if strings.Contains(phoneCodes, " "+digits[:n]+" ") {
			return n
		}
	}
	return 0
}

// phoneCodeProblem checks an international number by E.164: a calling code, at most 15
// digits, and exactly 11 in the plans of +1 and +7.
func phoneCodeProblem(digits string) string {
	const shortest, longest, fixed = 7, 15, 11
	switch {
	case knownCode(digits) == 0:
		return "Phone number should begin with the code of a country after the +"
	case len(digits) < shortest, len(digits) > longest, (digits[0] == '1' || digits[0] == '7') && len(digits) != fixed:
		return "Phone number has too few or too many digits for its country"
	}
	return ""
}

// cardBrands maps the first digits of a card to issuers; a more specific prefix comes
// first.
var cardBrands = []struct {
	name     string
	from, to string // first and last prefix
	lengths  string // one letter for each length: 'a' is 12 digits
}{
	{"American Express", "34", "34", "d"},
	{"American Express", "37", "37", "d"},
	{"Diners Club", "300", "305", "c"},
	{"Diners Club", "36", "36", "cefgh"},
	{"Diners Club", "38", "39", "cefgh"},
	{"JCB", "3528", "3589", "efgh"},
	{"Mastercard", "51", "55", "e"},
	{"Mastercard", "2221", "2720", "e"},
	{"Discover", "6011", "6011", "efgh"},
	{"Discover", "644", "649", "efgh"},
	{"Discover", "65", "65", "efgh"},
	{"UnionPay", "62", "62", "efgh"},
	{"Maestro", "50", "50", "abcdefgh"},
	{"Maestro", "56", "59", "abcdefgh"},
	{"Maestro", "6", "6", "abcdefgh"},
	{"Visa", "4", "4", "begh"},
}

// Card returns the issuer of a card number, "unknown" if it is not a large one, or the
// reason why it is not a card number.
func Card(text string) (brand, reason string) {
	const shortest, longest, longestText = 12, 19, 60
	digits := bareNumber(text, "-")
	switch {
	case strings.TrimSpace(text) == "":
		return "", "Card number is empty"
	case digits == "":
		return "", "Card number has no digits"
	case len(text) > longestText:
		return "", "Card number is too long"
	case !OnlyDigits(digits):
		return "", "Card number should have only digits, spaces and dashes"
	case len(digits) < shortest || len(digits) > longest:
		return "", "Card number should have 12-19 digits"
	case digits[0] == '0':
		return "", "Card number cannot start with 0"
	case !luhn(digits):
		return "", "Invalid card number: its check digit is wrong (Luhn)"
	}
	for _, b := range cardBrands {
		prefix := digits[:len(b.from)]
		if prefix < b.from || prefix > b.to {
			continue
		}
		if !strings.ContainsRune(b.lengths, rune('a'+len(digits)-shortest)) {
			return "", "Card number has a length that " + b.name + " does not have"
		}
		return b.name, ""
	}
	return "unknown", ""
}

// luhn reports whether the check digit is right.
func luhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

// UUIDProblem accepts the versions that RFC 9562 defines, and the nil and the max UUID,
// in their usual form of 36 characters.
func UUIDProblem(text string) string {
	const usual, newest = 36, 8
	id, err := uuid.Parse(text)
	known := id == uuid.Nil || id == uuid.Max || id.Variant() == uuid.RFC4122 && id.Version() >= 1 && id.Version() <= newest
	if err != nil || len(text) != usual || !known {
		return "Invalid UUID format"
	}
	return ""
}

// IP returns the version of an IP address, or the reason why text is none. An IPv6 address
// may have a zone, as in fe80::1%eth0 (RFC 4007).
func IP(text string) (version, reason string) {
	addr, err := netip.ParseAddr(text)
	switch {
	case err != nil || strings.ContainsFunc(addr.Zone(), notInZone):
		return "", "Invalid IP address format"
	case addr.Is4():
		return "IPv4", ""
	default:
		return "IPv6", ""
	}
}

// notInZone reports whether the name of a zone cannot have a character.
func notInZone(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("%/[]", r) }

// TCKimlikProblem checks the two check digits of a Turkish identity number.
func TCKimlikProblem(text string) string {
	const length = 11
	digits := bareNumber(text, "")
	switch {
	case len(digits) != length || !OnlyDigits(digits):
		return "TC Kimlik must be 11 digits"
	case digits[0] == '0':
		return "TC Kimlik cannot start with 0"
	}
	var odd, even int
	for i := range 9 {
		if d := int(digits[i] - '0'); i%2 == 0 {
			odd += d
		} else {
			even += d
		}
	}
	tenth := ((odd*7-even)%10 + 10) % 10
	if int(digits[9]-'0') != tenth || int(digits[10]-'0') != (odd+even+tenth)%10 {
		return "TC Kimlik checksum is wrong"
	}
	return ""
}
