package data

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// validCase expects a value to be valid, with these further members of the result.
func validCase(typ, value, more string) tooltest.Case {
	return checkCase(typ, value, `"valid":true`+more)
}

// invalidCase expects a value to be refused for this reason.
func invalidCase(typ, value, reason string) tooltest.Case {
	quoted, _ := json.Marshal(reason)
	return checkCase(typ, value, `"valid":false,"reason":`+string(quoted))
}

func checkCase(typ, value, verdict string) tooltest.Case {
	quoted, _ := json.Marshal(value)
	shown, named := string(quoted), fmt.Sprintf(`"type":%q,`, typ)
	if strings.Contains(verdict, `"type"`) {
		named = ""
	}
	return tooltest.Case{
		Name: typ + " " + value,
		Args: fmt.Sprintf(`{"type":%q,"value":%s}`, typ, shown),
		Want: fmt.Sprintf(`{%s"value":%s,%s}`, named, shown, verdict),
	}
}

func TestValidate(t *testing.T) {
	tooltest.Run(t, Set, "validate", tool.Call{}, []tooltest.Case{
		validCase("email", "test@example.com", ``),
		validCase("email", "user+tag@sub.example.co.uk", ``),
		validCase("email", "ü@exämple.de", ``),
		invalidCase("email", "nobody", "Invalid email format: there is no @"),
		invalidCase("email", "a@localhost", "Invalid email format: the domain has no dot in it"),
		invalidCase("email", "a@example.org.", "Invalid email format"),
		invalidCase("email", "Ada <a@example.org>", "Invalid email format"),
		invalidCase("email", "<a@example.org>", "Invalid email format"),
		validCase("email", "a@[192.0.2.1]", ``),
		validCase("email", "a@[IPv6:2001:db8::1]", ``),
		validCase("email", `"a b@c\"d"@example.org`, ``),
		validCase("email", `"a b"@[192.0.2.1]`, ``),
		invalidCase("email", "a@[192.0.2]", "Invalid email format: brackets hold an IPv4 address, or IPv6: and an IPv6 address without a zone"),
		invalidCase("email", "a@[2001:db8::1]",
			"Invalid email format: brackets hold an IPv4 address, or IPv6: and an IPv6 address without a zone"),
		invalidCase("email", "a@[IPv6:192.0.2.1]",
			"Invalid email format: brackets hold an IPv4 address, or IPv6: and an IPv6 address without a zone"),
		invalidCase("email", "a@[IPv6:fe80::1%eth0]",
			"Invalid email format: brackets hold an IPv4 address, or IPv6: and an IPv6 address without a zone"),
		invalidCase("email", "a@[192.0.2.1", "Invalid email format: brackets hold an IPv4 address, or IPv6: and an IPv6 address without a zone"),
		invalidCase("email", "a@192.0.2.1",
			"Invalid email format: an IP address is written in brackets, such as [192.0.2.1] or [IPv6:2001:db8::1]"),
		invalidCase("email", `"a"b@example.org`, "Invalid email format"),
		invalidCase("email", `"a" <b@example.org`, "Invalid email format"),
		invalidCase("email", "a@example.org (home)", "Invalid email format"),
		invalidCase("email", "a b@example.com", "Invalid email format"),
		invalidCase("email", "a@@example.com", "Invalid email format"),
		invalidCase("email", " a@example.com", "Invalid email format"),
		invalidCase("email", strings.Repeat("a", 65)+"@example.com", "Invalid email format: the part before the @ is longer than 64 bytes"),
		invalidCase("email", "a@"+strings.Repeat("b", 64)+".com", "Invalid email format: a part of the host name is empty or too long"),

		validCase("url", "https://example.com/a?b=c#d", ``),
		validCase("url", "http://localhost:3000", ``),
		validCase("url", "ftp://user@[2001:db8::1]:21/x", ``),
		validCase("url", "https://münchen.example", ``),
		validCase("url", "http://[fe80::1%25eth0]:8080/", ``),
		invalidCase("url", "http://[fe80::1%eth0]/", "Invalid URL format"),
		invalidCase("url", "not-a-url", "Invalid URL format"),
		invalidCase("url", "", "Invalid URL format"),
		invalidCase("url", "http://exa mple.com", "Invalid URL format"),
		invalidCase("url", "http://", "Invalid URL format: the host is missing"),
		invalidCase("url", "javascript:alert(1)",
			"Invalid URL format: the scheme javascript is not one of http, https, ftp, ftps, sftp, ws, wss"),
		invalidCase("url", "http://example.com:99999", "Invalid URL format: the port must be between 1 and 65535"),
		invalidCase("url", "http://example.com:", "Invalid URL format: the port must be between 1 and 65535"),
		invalidCase("url", "http://..", "Invalid URL format: a part of the host name is empty or too long"),
		invalidCase("url", "http://999.1.1.1", "Invalid URL format: the host is neither a name nor an IP address"),
		invalidCase("url", "http://a-.com", "Invalid URL format: the host name has a character that it cannot have"),

		validCase("json", "[1,2,3]", `,"parsed":[1,2,3]`),
		validCase("json", `{"key": "value"}`, `,"parsed":{"key":"value"}`),
		validCase("json", ` 12345678901234567890.10 `, `,"parsed":12345678901234567890.10`),
		validCase("json", `null`, `,"parsed":null`),
		invalidCase("json", "{\n\"a\":1,}", "Invalid JSON: invalid character ',' at start of value at line 2, column 6"),
		invalidCase("json", "", "Invalid JSON: there is nothing in it"),
		invalidCase("json", `{"a":1,"a":2}`, `Invalid JSON: the member "a" is there twice at line 1, column 8`),

		validCase("uuid", "550e8400-e29b-41d4-a716-446655440000", ``),
		validCase("uuid", "01890A5D-AC96-774B-BCCE-B302099A8057", ``),
		validCase("uuid", "00000000-0000-0000-0000-000000000000", ``),
		invalidCase("uuid", "550e8400-e29b-91d4-a716-446655440000", "Invalid UUID format"),
		invalidCase("uuid", "550e8400-e29b-41d4-c716-446655440000", "Invalid UUID format"),
		invalidCase("uuid", "550e8400e29b41d4a716446655440000", "Invalid UUID format"),
		invalidCase("uuid", "{550e8400-e29b-41d4-a716-446655440000}", "Invalid UUID format"),
		invalidCase("uuid", "550e8400-e29b-41d4-a716-44665544000g", "Invalid UUID format"),

		validCase("ip", "192.168.1.1", `,"version":"IPv4"`),
		validCase("ip", "2001:db8::1", `,"version":"IPv6"`),
		validCase("ip", "::ffff:10.0.0.1", `,"version":"IPv6"`),
		invalidCase("ip", "256.1.1.1", "Invalid IP address format"),
		invalidCase("ip", "192.168.01.1", "Invalid IP address format"),
		invalidCase("ip", "10.0.0.0/8", "Invalid IP address format"),
		validCase("ip", "fe80::1%eth0", `,"version":"IPv6"`),
		invalidCase("ip", "fe80::1%", "Invalid IP address format"),
		invalidCase("ip", "fe80::1%eth 0", "Invalid IP address format"),
		invalidCase("ip", "192.0.2.1%eth0", "Invalid IP address format"),
		{Name: "alias", Args: `{"type":"dog","value":"x"}`, Fails: tool.ValidationError, Message: "type"},
		{Name: "no value", Args: `{"type":"ip"}`, Fails: tool.ValidationError, Message: "value"},
		{Name: "no type", Args: `{"value":"x"}`, Fails: tool.ValidationError, Message: "type"},
		{Name: "a number", Args: `{"type":"phone","value":12345678901}`, Fails: tool.ValidationError, Message: "value"},
		{
			Name: "a long value",
			Args: `{"type":"email","value":"` + strings.Repeat("ä", 300) + `@x.org"}`,
			Want: `{"type":"email","value":"` + strings.Repeat("ä", 200) +
				`...","valid":false,"reason":"Invalid email format: it is longer than 254 bytes"}`,
		},
	})
}

func TestValidateNumbers(t *testing.T) {
	tooltest.Run(t, Set, "validate", tool.Call{}, []tooltest.Case{
		validCase("credit_card", "4111-1111-1111-1111", `,"type":"Visa"`),
		validCase("credit_card", "4222222222222", `,"type":"Visa"`),
		validCase("credit_card", "5555 5555 5555 4444", `,"type":"Mastercard"`),
		validCase("credit_card", "2223003122003222", `,"type":"Mastercard"`),
		validCase("credit_card", "378282246310005", `,"type":"American Express"`),
		validCase("credit_card", "6011111111111117", `,"type":"Discover"`),
		validCase("credit_card", "30569309025904", `,"type":"Diners Club"`),
		validCase("credit_card", "3530111333300000", `,"type":"JCB"`),
		validCase("credit_card", "6200000000000005", `,"type":"UnionPay"`),
		validCase("credit_card", "6304000000000000", `,"type":"Maestro"`),
		validCase("credit_card", "9999999999999995", `,"type":"unknown"`),
		invalidCase("credit_card", "4111111111111112", "Invalid card number: its check digit is wrong (Luhn)"),
		invalidCase("credit_card", "411111111111116", "Card number has a length that Visa does not have"),
		invalidCase("credit_card", "0000000000000000", "Card number cannot start with 0"),
		invalidCase("credit_card", "4111", "Card number should have 12-19 digits"),
		invalidCase("credit_card", "4111x1111", "Card number should have only digits, spaces and dashes"),
		invalidCase("credit_card", strings.Repeat("4", 100), "Card number is too long"),
		invalidCase("credit_card", " ", "Card number is empty"),
		invalidCase("credit_card", "--", "Card number has no digits"),

		validCase("iban", "GB29 NWBK 6016 1331 9268 19", `,"country":"GB"`),
		validCase("iban", "gb82west12345698765432", `,"country":"GB"`),
		validCase("iban", "TR330006100519786457841326", `,"country":"TR"`),
		validCase("iban", "MT84MALT011000012345MTLCAST001S", `,"country":"MT"`),
		invalidCase("iban", "GB28 NWBK 6016 1331 9268 19", "IBAN checksum is wrong"),
		invalidCase("iban", "DE89 3704 0044 0532 0130 0", "IBAN length should be 22 for DE"),
		invalidCase("iban", "GB29", "IBAN length is not between 15 and 34"),
		invalidCase("iban", "ZZ29NWBK60161331926819", "IBAN country code ZZ is not known"),
		invalidCase("iban", "1229NWBK60161331926819", "IBAN should be a country code, two digits, then letters and digits"),
		invalidCase("iban", "GB29 NWBK 6016 1331 9268 1é", "IBAN should be a country code, two digits, then letters and digits"),

		validCase("phone", "+1 (234) 567-8901", `,"normalized":"12345678901"`),
		validCase("phone", "555.123.4567", `,"normalized":"5551234567"`),
		validCase("phone", "+49 (0)30 123456", `,"normalized":"4930123456"`),
		validCase("phone", "+44(0)20 7946 0958", `,"normalized":"442079460958"`),
		validCase("phone", "+49 30 (0)123456", `,"normalized":"49300123456"`),
		validCase("phone", "(0)30 12345678", `,"normalized":"03012345678"`),
		validCase("phone", "+47 22 86 24 00", `,"normalized":"4722862400"`),
		validCase("phone", "+15551234567", `,"normalized":"15551234567"`),
		validCase("phone", "+290 20000", `,"normalized":"29020000"`),
		invalidCase("phone", "12345", "Phone number should be 10-15 digits"),
		invalidCase("phone", "1234567890123456", "Phone number should be 10-15 digits"),
		invalidCase("phone", "+1 234", "Phone number has too few or too many digits for its country"),
		invalidCase("phone", "+999 1234567890", "Phone number should begin with the code of a country after the +"),
		invalidCase("phone", "1-800-FLOWERS", "Phone number should have only digits, spaces and + ( ) - . /"),
		invalidCase("phone", "++12345678901", "Phone number should have one + at most, before everything else"),
		invalidCase("phone", "1+2345678901", "Phone number should have one + at most, before everything else"),
		invalidCase("phone", "+", "Phone number has no digits"),
		invalidCase("phone", strings.Repeat("1", 50), "Phone number is too long"),
		invalidCase("phone", "", "Phone number is empty"),

		validCase("tc_kimlik", "10000000146", ``),
		validCase("tc_kimlik", "12345678950", ``),
		invalidCase("tc_kimlik", "00000000000", "TC Kimlik cannot start with 0"),
		invalidCase("tc_kimlik", "01234567890", "TC Kimlik cannot start with 0"),
		invalidCase("tc_kimlik", "1000000014", "TC Kimlik must be 11 digits"),
		invalidCase("tc_kimlik", "1000000014x", "TC Kimlik must be 11 digits"),
		invalidCase("tc_kimlik", "10000000147", "TC Kimlik checksum is wrong"),
		invalidCase("tc_kimlik", "10000000156", "TC Kimlik checksum is wrong"),
	})
}

// Every check returns a verdict, and a reason exactly if the value is invalid.
func FuzzValidate(f *testing.F) {
	for _, value := range []string{
		"a@b.org", "http://[::1]:8/", "GB29NWBK60161331926819", "+1 234 567 8901", "4111 1111 1111 1111", "{}", "10000000146", "\x00",
	} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		for _, typ := range []string{"email", "url", "json", "credit_card", "iban", "phone", "uuid", "ip", "tc_kimlik"} {
			v, err := validateValue(t.Context(), nil, validateArgs{Value: value, Type: typ})
			if err != nil || v.Valid != (v.Reason == "") {
				t.Errorf("validate %s %q = %+v, %v", typ, value, v, err)
			}
		}
	})
}
