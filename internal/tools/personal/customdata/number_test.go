package customdata

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func TestNumber(t *testing.T) {
	for given, want := range map[string]string{
		"0": "0", "-0": "0", "0.000": "0", "0e999999999": "0", "1": "1", "1.0": "1", "-5": "-5", "1e2": "100", "0.1": "0.1",
		"0.30000000000000004": "0.30000000000000004", "9007199254740992": "9007199254740992", "1e22": "1e+22",
		"1.7976931348623157e308": "1.7976931348623157e+308", "5e-324": "5e-324", "12.340": "12.34",
	} {
		got, err := number([]byte(given))
		if err != nil || string(got) != want {
			t.Errorf("number(%s) = %s, %v, want %s", given, got, err, want)
		}
		if again, err := number(got); err != nil || string(again) != want {
			t.Errorf("number(%s) = %s, %v, want the same", got, again, err)
		}
	}
	for _, given := range []string{
		"9007199254740993", "12345678901234567890", "1e400", "-1e400", "1e-400", "1e999999999", "1e-999999999", "0.1234567890123456789",
		"1" + strings.Repeat("0", 500), "5e-325",
	} {
		got, err := number([]byte(given))
		if e := tool.AsError(err); e == nil || !strings.Contains(e.Msg, "cannot be kept exactly") || !strings.Contains(e.Msg, "text column") {
			t.Errorf("number(%.40s) = %s, %v, want a refusal", given, got, err)
		}
	}
}
