package textfind

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// What each sort finds in texts as people write them.
func TestTextFinders(t *testing.T) {
	for _, tt := range []struct {
		sort, text string
		want       []string
	}{
		{
			"urls", "(see https://en.wikipedia.org/wiki/A_(b)), [x](https://m.d/y). www.ex.com!",
			[]string{"https://en.wikipedia.org/wiki/A_(b)", "https://m.d/y", "www.ex.com"},
		},
		{
			"urls", `href="http://a.b/c?d=e&f#g" ftp://h.i/j; HTTPS://[::1]:80/x`,
			[]string{"http://a.b/c?d=e&f#g", "ftp://h.i/j", "HTTPS://[::1]:80/x"},
		},
		{"urls", "见https://ж.рф/路。然后 awww.x http:// https://!", []string{"https://ж.рф/路"}},
		{
			"emails", "mailto:o'neil@x.co.uk, <bob.b+c@ex-ample.com>. 'ann@ex.org' a@b x@y.z1 @c.de",
			[]string{"o'neil@x.co.uk", "bob.b+c@ex-ample.com", "ann@ex.org"},
		},
		{"emails", "root@[192.0.2.1], a@[IPv6:2001:db8::1] b@[1.2] c@[x] d@[IPv6:1.2.3.4]", []string{"root@[192.0.2.1]", "a@[IPv6:2001:db8::1]"}},
		{
			"phones", "Call +1 (555) 123-4567, 555-987-6543 or (555) 222 3333; +44 20 7946 0958",
			[]string{"+1 (555) 123-4567", "555-987-6543", "(555) 222 3333", "+44 20 7946 0958"},
		},
		{
			"phones", "0551 234 56 78, 030/1234567, 555-1234, 5551234567, tel:+15551234567 12345 555-123-4567",
			[]string{"0551 234 56 78", "030/1234567", "555-1234", "5551234567", "+15551234567", "555-123-4567"},
		},
		{"phones", "2024-01-15 15/01/2024 192.168.1.100 3.14159265 4111 1111 1111 1111 $5551234567 1234567", nil},
		{"dates", "2024-01-15T10:30:00Z, 01/15/2024, 15.01.2024 and 15/1/24", []string{"2024-01-15", "01/15/2024", "15.01.2024", "15/1/24"}},
		{
			"dates", "January 15, 2024; Jan 5th 2023, 15 January 2024, 15th of March, May 2024, Sept. 9, 2001",
			[]string{"January 15, 2024", "Jan 5th 2023", "15 January 2024", "15th of March", "May 2024", "Sept. 9, 2001"},
		},
		{"dates", "2024年1月15日, 12-Jan-2024 JAN 1 1999", []string{"2024年1月15日", "12-Jan-2024", "JAN 1 1999"}},
		{"dates", "10.0.0.1 v1.2.10 1.2.24 99/99/2024 2024-13-01 2024-01/15 1/2/2024/5 you may 5 times, march 10 miles", nil},
		{
			"numbers", "-5, 10-5, 1,234.56 and 1,2,3 12,345,678 1,234,5 covid-19",
			[]string{"-5", "10", "5", "1,234.56", "1", "2", "3", "12,345,678", "1", "234", "5", "19"},
		},
		{
			"numbers", "007 .5 1e10 5em -3.2e-5 50% −8 1,2345 3. abc1 --4",
			[]string{"007", ".5", "1e10", "5", "-3.2e-5", "50", "−8", "1", "2345", "3", "1", "4"},
		},
		{"numbers", strings.Repeat("7", 500) + ".25", []string{strings.Repeat("7", 500), "25"}},
		{"hashtags", "#Tag #123 #a_b a#no http://h/#frag &#39; #été ##x", []string{"#Tag", "#a_b", "#été"}},
		{"mentions", "@joe, @j.doe. me@ex.com @user-name! @1 (@été)", []string{"@joe", "@j.doe", "@user-name", "@été"}},
	} {
		if got := slices.Collect(Finders[tt.sort](t.Context(), tt.text)); !slices.Equal(got, tt.want) {
			t.Errorf("%s in %q = %q, want %q", tt.sort, tt.text, got, tt.want)
		}
	}
}

// What is found is in the text, in order.
func FuzzTextFinders(f *testing.F) {
	f.Add("https://a.b/(c) x@y.zz +1 555-123-4567 2024-01-15 -1,234.5e6 #t @m")
	f.Fuzz(func(t *testing.T, text string) {
		for sort, find := range Finders {
			rest := text
			for match := range find(t.Context(), text) {
				_, after, found := strings.Cut(rest, match)
				if !found || match == "" {
					t.Fatalf("%s in %q: %q is not there", sort, text, match)
				}
				rest = after
				if sort == "numbers" {
					if value := NumberValue(match); value != nil && !json.Valid(value) {
						t.Errorf("the value of %q is %s", match, value)
					}
				}
			}
		}
	})
}
