package money

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct{ number, currency, want string }{
		{"12.5", "EUR", "12.50"},
		{"12.500000000000000000000000000000", "EUR", "12.50"},
		{"0", "EUR", "0.00"},
		{"-0", "EUR", "0.00"},
		{"1e3", "JPY", "1000"},
		{"999999999999999", "JPY", "999999999999999"},
		{"999999999999999.99", "USD", "999999999999999.99"},
		{"0.001", "KWD", "0.001"},
		{"0.0001", "CLF", "0.0001"},
		{"125e-1", "TRY", "12.50"},
	} {
		a, err := Parse(tool.Number(tt.number), tt.currency)
		if err != nil || string(a.Number()) != tt.want {
			t.Errorf("Parse(%s, %s) = %s, %v, want %s", tt.number, tt.currency, a.Number(), err, tt.want)
		}
	}
	for _, tt := range []struct{ number, currency, says string }{
		{"-0.01", "EUR", "negative"},
		{"12.505", "EUR", "12.505 has 3 decimals, and EUR has 2"},
		{"0.5", "JPY", "JPY has 0"},
		{"0.123456789012345678901234567891", "EUR", "30 decimals"},
		{"1000000000000000", "EUR", "too large"},
		{"1e15", "EUR", "too large"},
		{"1e99999", "EUR", "too large"},
		{"1e999999999", "EUR", ""},
		{"1e-99999", "EUR", "decimals"},
		{"NaN", "EUR", "no number"},
		{"Infinity", "EUR", "no number"},
		{"", "EUR", "no number"},
		{strings.Repeat("9", 1<<20), "EUR", "1048576 characters"},
	} {
		_, err := Parse(tool.Number(tt.number), tt.currency)
		if err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("Parse(%.40s, %s): %v, want an error with %q", tt.number, tt.currency, err, tt.says)
		}
	}
}

func parse(t *testing.T, number string) Amount {
	t.Helper()
	a, err := Parse(tool.Number(number), "EUR")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestAdd adds what a float64 sums to 999999999999999.9 and 0.30000000000000004.
func TestAdd(t *testing.T) {
	if got := parse(t, "0.1").Add(parse(t, "0.2")).Number(); got != "0.30" {
		t.Errorf("0.1 + 0.2 = %s", got)
	}
	sum := Amount{}
	for range 100_000 {
		sum = sum.Add(parse(t, "999999999999999.99"))
	}
	if got := sum.Number(); got != "99999999999999999000.00" {
		t.Errorf("100,000 times the largest amount = %s", got)
	}
}

func TestOver(t *testing.T) {
	for _, tt := range []struct {
		number string
		n      int
		want   tool.Number
	}{{"10", 3, "3.33"}, {"0.05", 2, "0.03"}, {"200", 3, "66.67"}, {"7", 0, "0"}} {
		if got := parse(t, tt.number).Over(tt.n).Number(); got != tt.want {
			t.Errorf("%s / %d = %s, want %s", tt.number, tt.n, got, tt.want)
		}
	}
	if got := parse(t, "1").Percent(parse(t, "3")).Number(); got != "33.33" {
		t.Errorf("1 of 3 is %s %%", got)
	}
	if got := parse(t, "1").Percent(Amount{}).Number(); got != "0" {
		t.Errorf("1 of 0 is %s %%", got)
	}
}

func TestCurrency(t *testing.T) {
	for _, text := range []string{"eur", " JPY ", "TRY", "XCG", "Sle"} {
		if code, err := Currency(text); err != nil || code != strings.ToUpper(strings.TrimSpace(text)) {
			t.Errorf("Currency(%q) = %q, %v", text, code, err)
		}
	}
	for _, text := range []string{"", "EU", "EURO", "QQQ", "DEM", "R U", "IF ", "UR ", "€", strings.Repeat("EUR", 1<<18)} {
		if _, err := Currency(text); err == nil || len(err.Error()) > 300 {
			t.Errorf("Currency(%.20q): %v", text, err)
		}
	}
	count := 0
	for _, list := range decimals {
		count += len(strings.Fields(list))
	}
	if count < 165 || count > 185 {
		t.Errorf("%d currencies are listed", count)
	}
}

func TestSums(t *testing.T) {
	var s Sums
	for _, one := range [][2]string{{"food", "1.10"}, {"travel", "5"}, {"food", "2.20"}, {"art", "5"}} {
		s.Add(one[0], parse(t, one[1]))
	}
	if got := strings.Join(s.Keys(), " "); got != "art travel food" {
		t.Errorf("Keys = %s", got)
	}
	if got := s.Numbers(); len(got) != 3 || got["food"] != "3.30" || s.Of("nothing").Number() != "0" {
		t.Errorf("Numbers = %v", got)
	}
}
