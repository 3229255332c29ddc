package timetable

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func next(t *testing.T, text, zoneName, after string) string {
	t.Helper()
	z := zone(t, zoneName)
	c, err := ParseCron(text)
	if err != nil {
		t.Fatal(err)
	}
	from, err := time.Parse(time.RFC3339, after)
	if err != nil {
		t.Fatal(err)
	}
	at := c.Next(from, z)
	if at.IsZero() {
		return "never"
	}
	return at.In(z).Format(time.RFC3339)
}

func TestNext(t *testing.T) {
	for _, tt := range []struct{ text, zone, after, want string }{
		{"0 9 * * *", "UTC", "2026-11-23T08:59:59Z", "2026-11-23T09:00:00Z"},
		{"0 9 * * *", "UTC", "2026-11-23T09:00:00Z", "2026-11-24T09:00:00Z"},
		{"*/15 * * * *", "Asia/Kathmandu", "2026-11-23T08:59:59Z", "2026-11-23T14:45:00+05:45"},
		{"0 9 * * mon-fri", "Europe/Berlin", "2026-11-27T12:00:00Z", "2026-11-30T09:00:00+01:00"},
		{"0 9 * * 7", "UTC", "2026-11-23T00:00:00Z", "2026-11-29T09:00:00Z"},
		{"0 0 29 2 *", "UTC", "2096-03-01T00:00:00Z", "2104-02-29T00:00:00Z"},
		{"0 0 31 2 *", "UTC", "2026-11-23T00:00:00Z", "never"},
		{"0 0 13 * fri", "UTC", "2026-11-08T00:00:00Z", "2026-11-13T00:00:00Z"},
		{"0 0 13 * fri", "UTC", "2026-11-13T00:00:00Z", "2026-11-20T00:00:00Z"},  // either of the two days
		{"0 0 */2 * fri", "UTC", "2026-11-13T00:00:00Z", "2026-11-27T00:00:00Z"}, // both: one is a step of *
		{"@yearly", "UTC", "2026-11-23T00:00:00Z", "2027-01-01T00:00:00Z"},
		// Skipped: 02:00 to 03:00.
		{"30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29T03:30:00+02:00"},
		{"30 2 * * *", "Europe/Berlin", "2026-03-29T01:30:00Z", "2026-03-30T02:30:00+02:00"},
		{"30 2,3 * * *", "Europe/Berlin", "2026-03-29T01:30:00Z", "2026-03-30T02:30:00+02:00"}, // the same time, once
		{"30 2 * * *", "America/New_York", "2026-03-08T05:00:00Z", "2026-03-08T03:30:00-04:00"},
		{"15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00:00Z", "2026-10-04T02:45:00+11:00"}, // half an hour
		{"0 9 30 12 *", "Pacific/Apia", "2011-12-29T00:00:00Z", "2011-12-31T09:00:00+14:00"},       // a day
		// Twice: 02:00 to 03:00.
		{"30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-25T02:30:00+02:00"},
		{"30 2 * * *", "Europe/Berlin", "2026-10-25T00:30:00Z", "2026-10-26T02:30:00+01:00"},
		{"0 * * * *", "Europe/Berlin", "2026-10-25T00:00:00Z", "2026-10-25T03:00:00+01:00"},
		{"0 0 * * *", "America/Santiago", "2026-09-05T12:00:00Z", "2026-09-06T01:00:00-03:00"}, // midnight is skipped
		{"30 23 * * *", "America/Santiago", "2026-04-04T12:00:00Z", "2026-04-04T23:30:00-03:00"},
		{"30 23 * * *", "America/Santiago", "2026-04-05T02:30:00Z", "2026-04-05T23:30:00-04:00"},
	} {
		if got := next(t, tt.text, tt.zone, tt.after); got != tt.want {
			t.Errorf("%s in %s after %s = %s, want %s", tt.text, tt.zone, tt.after, got, tt.want)
		}
	}
}

// walk returns all times of an expression in a window, by a walk over its minutes: each
// minute that the clock shows is taken the first time, and those that it skips follow the
// last one before them at the same distance.
func walk(c Cron, from, to time.Time, z *time.Location) map[int64]bool {
	times := map[int64]bool{}
	shown, begun := int64(0), false
	add := func(minute, at int64) {
		u := time.Unix(minute, 0).UTC()
		if c.matches(u) && c.hour&(1<<u.Hour()) != 0 && c.minute&(1<<u.Minute()) != 0 {
			times[at] = true
		}
	}
	for t := from; t.Before(to); t = t.Add(time.Minute) {
		now := wall(t.In(z))
		if !begun {
			shown, begun = now-60, true
		}
		if now <= shown {
			continue // the second time
		}
		base := t.Unix() - 60
		for m := shown + 60; m <= now; m += 60 {
			at := t.Unix()
			if m < now {
				at = base + (m - shown)
			}
			add(m, at)
		}
		shown = now
	}
	return times
}

// TestNextIsThatOfAWalk compares random expressions around changes of clocks with a walk
// over the minutes.
func TestNextIsThatOfAWalk(t *testing.T) {
	changes := []struct{ zone, at string }{
		{"Europe/Berlin", "2026-03-29T01:00:00Z"}, {"Europe/Berlin", "2026-10-25T01:00:00Z"}, {"America/New_York", "2026-03-08T07:00:00Z"},
		{"America/New_York", "2026-11-01T06:00:00Z"}, {"Australia/Lord_Howe", "2026-10-03T15:30:00Z"},
		{"Australia/Lord_Howe", "2026-04-04T15:00:00Z"}, {"Pacific/Apia", "2011-12-30T10:00:00Z"}, {"America/Santiago", "2026-09-06T04:00:00Z"},
		{"America/Santiago", "2026-04-05T03:00:00Z"}, {"Africa/Casablanca", "2026-02-15T02:00:00Z"}, {"Asia/Kolkata", "2026-06-01T00:00:00Z"},
		{"UTC", "2028-02-29T00:00:00Z"}, {"Antarctica/Troll", "2026-03-29T01:00:00Z"}, {"America/Scoresbysund", "2024-03-31T00:00:00Z"},
		{"Asia/Gaza", "2026-03-28T00:00:00Z"},
	}
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 400 {
		change := changes[round%len(changes)]
		z, middle := zone(t, change.zone), when(t, change.at)
		text := random(r)
		c, err := ParseCron(text)
		if err != nil {
			t.Fatal(err)
		}
		from, to := middle.Add(-80*time.Hour), middle.Add(80*time.Hour)
		times := walk(c, from, to, z)
		// The walk begins with a minute that may be one moved from before it.
		at := from.Add(26 * time.Hour)
		for at.Before(to.Add(-30 * time.Hour)) {
			want := time.Time{}
			for m := at.Unix() - at.Unix()%60 + 60; m < to.Unix(); m += 60 {
				if times[m] {
					want = time.Unix(m, 0)
					break
				}
			}
			got := c.Next(at, z)
			if want.IsZero() {
				if !got.IsZero() && got.Before(to.Add(-26*time.Hour)) {
					t.Fatalf("%s in %s after %v = %v, and the walk finds none", text, change.zone, at, got)
				}
				break
			}
			if !got.Equal(want) {
				t.Fatalf("%s in %s after %v = %v, want %v", text, change.zone, at.In(z), got.In(z), want.In(z))
			}
			at = got
			if len(times) > 200 {
				at = at.Add(time.Duration(r.IntN(240)) * time.Minute)
			}
		}
	}
}

func when(t testing.TB, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// random returns an expression that has times on most days.
func random(r *rand.Rand) string {
	pick := func(all ...string) string { return all[r.IntN(len(all))] }
	number := func(least, most int) string { return fmt.Sprint(least + r.IntN(most-least+1)) }
	minute := pick("*", "*/7", "*/30", "0", number(0, 59), number(0, 59)+","+number(0, 59))
	hour := pick("*", "*/2", number(0, 3), "0-3", "1,2,3", "22-23", "0", number(0, 23))
	day := pick("*", "*", "*", "*/2", "28-31", "1-8")
	weekday := pick("*", "*", "*", "sun", "mon-fri", "0,6")
	return strings.Join([]string{minute, hour, day, "*", weekday}, " ")
}

func BenchmarkNext(b *testing.B) {
	c, err := ParseCron("*/5 * * * *")
	if err != nil {
		b.Fatal(err)
	}
	z, at := zone(b, "Europe/Berlin"), when(b, "2026-11-23T09:00:00Z")
	for b.Loop() {
		at = c.Next(at, z)
	}
}
