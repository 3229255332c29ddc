package wellformed

import "testing"

func TestReasons(t *testing.T) {
	first := func(_ string, reason string) string { return reason }
	url := func(text string) string { _, reason := URL(text); return reason }
	for _, tt := range []struct {
		name  string
		check func(string) string
		good  string
		bad   string
	}{
		{"mail", EmailProblem, "ada@example.org", "ada@localhost"},
		{"URL", url, "https://example.org/a?b=c", "javascript:alert(1)"},
		{"IBAN", func(s string) string { return first(IBAN(s)) }, "GB82 WEST 1234 5698 7654 32", "GB82 WEST 1234 5698 7654 33"},
		{"card", func(s string) string { return first(Card(s)) }, "4111 1111 1111 1111", "4111 1111 1111 1112"},
		{"phone", func(s string) string { return first(Phone(s)) }, "+44 20 7946 0958", "+44 20 7946 0958 x"},
		{"UUID", UUIDProblem, "123e4567-e89b-42d3-a456-426614174000", "123e4567e89b42d3a456426614174000"},
		{"IP", func(s string) string { return first(IP(s)) }, "2001:db8::1", "192.0.2.1%eth0"},
		{"TC Kimlik", TCKimlikProblem, "10000000146", "10000000147"},
	} {
		if reason := tt.check(tt.good); reason != "" {
			t.Errorf("%s: %q is refused: %s", tt.name, tt.good, reason)
		}
		for _, bad := range []string{tt.bad, "", "\x00", "-"} {
			if tt.check(bad) == "" {
				t.Errorf("%s: %q is accepted", tt.name, bad)
			}
		}
	}
}

func TestOnlyDigits(t *testing.T) {
	for text, want := range map[string]bool{"0123456789": true, "": false, "1a": false, "-1": false, "١": false} {
		if got := OnlyDigits(text); got != want {
			t.Errorf("OnlyDigits(%q) = %v, want %v", text, got, want)
		}
	}
}
