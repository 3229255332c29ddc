package dates

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestBetween: months end with the month, days keep the time of day when clocks change, and
// the span back is that of the span forth, below 0.
func TestBetween(t *testing.T) {
	for _, tt := range []struct {
		zone, from, to string
		want           Span
		months, days   string
	}{
		{"UTC", "2024-01-31", "2024-02-29", Span{Months: 1}, "1.00", "29.00"},
		{"UTC", "2024-01-31", "2024-03-30", Span{Months: 1, Days: 30}, "1.97", "59.00"},
		{"UTC", "2024-02-29", "2025-02-28", Span{Years: 1}, "12.00", "365.00"},
		{"UTC", "2024-02-29", "2028-02-29", Span{Years: 4}, "48.00", "1461.00"},
		{"UTC", "2026-01-15T10:00", "2026-02-15T09:59:58.5Z", Span{Days: 30, Hours: 23, Minutes: 59, Seconds: 58.5}, "1.00", "31.00"},
		{"UTC", "2026-01-01", "2026-01-16T12:00", Span{Days: 15, Hours: 12}, "0.50", "15.50"},
		{"UTC", "0001-01-01", "9999-12-31", Span{Years: 9998, Months: 11, Days: 30}, "119987.97", "3652058.00"},
		// Clocks are put forward at 2:00 on 29 March, and back at 3:00 on 25 October.
		{"Europe/Berlin", "2026-03-28T12:00", "2026-03-29T12:00", Span{Days: 1}, "0.03", "1.00"},
		{"Europe/Berlin", "2026-03-28T12:00", "2026-03-29T11:59", Span{Hours: 22, Minutes: 59}, "0.03", "1.00"},
		{"Europe/Berlin", "2026-03-28T02:30", "2026-03-29T03:30", Span{Days: 1}, "0.03", "1.00"},
		{"Europe/Berlin", "2026-10-24T12:00", "2026-10-25T11:00", Span{Hours: 24}, "0.03", "0.96"},
		{"Europe/Berlin", "2026-03-29", "2026-10-25", Span{Months: 6, Days: 26}, "6.87", "210.00"},
		{"Europe/Berlin", "2026-02-28T23:30:00Z", "2026-03-31T22:30:00Z", Span{Months: 1}, "1.00", "31.00"},
	} {
		zone, err := Zone(tt.zone)
		if err != nil {
			t.Fatal(err)
		}
		from, err := Read(tt.from, zone, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		to, err := Read(tt.to, zone, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		from = from.In(zone)
		if diff := cmp.Diff(tt.want, Between(from, to)); diff != "" {
			t.Errorf("from %s to %s in %s (-want +got):\n%s", tt.from, tt.to, tt.zone, diff)
		}
		if months, days := InMonths(from, to).FloatString(2), InDays(from, to).FloatString(2); months != tt.months || days != tt.days {
			t.Errorf("from %s to %s in %s: %s months, %s days, want %s, %s", tt.from, tt.to, tt.zone, months, days, tt.months, tt.days)
		}
		w := tt.want
		back := Span{-w.Years, -w.Months, -w.Days, -w.Hours, -w.Minutes, -w.Seconds}
		if diff := cmp.Diff(back, Between(to.In(zone), from)); diff != "" {
			t.Errorf("back from %s to %s in %s (-want +got):\n%s", tt.to, tt.from, tt.zone, diff)
		}
	}
}
