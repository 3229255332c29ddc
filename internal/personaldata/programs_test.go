package personaldata

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/helve-dev/helve/internal/ports/store"
	"github.com/helve-dev/helve/internal/tools/personal/bookmarks"
	"github.com/helve-dev/helve/internal/tools/personal/calendar"
	"github.com/helve-dev/helve/internal/tools/personal/contacts"
	"github.com/helve-dev/helve/tool"
)

// made returns an item as the tool that stores it makes it.
func made[T any](t *testing.T, c *tool.Collection[T], id string, v T, err error) *store.Item {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	made, err := itemOf(c, id, v)
	if err != nil {
		t.Fatal(err)
	}
	of := item("", "", "")
	made.CreatedAt, made.UpdatedAt = of.CreatedAt.Truncate(1e9), of.UpdatedAt.Truncate(1e9)
	return made
}

func event(t *testing.T, id string, in calendar.Input) *store.Item {
	t.Helper()
	v, _, err := in.Event()
	return made(t, calendar.Collection, id, v, err)
}

// TestProgramsThereAndBack: what a person has stored comes back from the formats of other
// programs, special characters included; items of other kinds are left out.
func TestProgramsThereAndBack(t *testing.T) {
	nasty := "Müller; \"A\", B\\C\nline <b>&amp; 🎉"
	minutes := 15.0
	contact, err := contacts.Input{
		Name: nasty, Email: "a@example.com", Phone: "+49 30 1", Company: "X, Y", JobTitle: "a;b", Relationship: "friend", Birthday: "1990-02-28",
		Address: "Street 1; 10115 Berlin", Notes: nasty, IsFavorite: true,
	}.Contact()
	plain, plainErr := contacts.Input{Name: "Bo"}.Contact()
	bookmark, bookmarkErr := bookmarks.Input{
		URL: "https://example.com/?a=1&b=\"2\"", Title: nasty, Description: "it's <i>good</i>", Category: "a&b", Tags: []string{"x", "y z"},
		IsFavorite: true,
	}.Bookmark()
	short, shortErr := bookmarks.Input{URL: "https://example.com/", Title: "t"}.Bookmark()
	for name, list := range map[string][]*store.Item{
		"vcf":  {made(t, contacts.Collection, "c1", contact, err), made(t, contacts.Collection, "c2", plain, plainErr)},
		"html": {made(t, bookmarks.Collection, "b1", bookmark, bookmarkErr), made(t, bookmarks.Collection, "b2", short, shortErr)},
		"ics": {
			event(t, "e1", calendar.Input{
				Title: nasty, StartTime: "2026-03-29T09:00", EndTime: "2026-03-29T10:30", Timezone: "Europe/Berlin",
				Recurrence: "FREQ=WEEKLY;BYDAY=SU;COUNT=4", Reminder: &minutes, Location: "a, b", Category: "work", Description: nasty,
			}),
			event(t, "e2", calendar.Input{Title: "days", StartTime: "2026-12-24", EndTime: "2026-12-26"}),
			event(t, "e3", calendar.Input{Title: "day", StartTime: "2026-12-24"}),
			event(t, "e5", calendar.Input{
				Title: "exceptions", StartTime: "2026-03-22T02:30",
				Timezone: "Europe/Berlin", Recurrence: "FREQ=WEEKLY;COUNT=5", ExcludedDates: []string{"2026-03-29T03:30", "2026-04-05"},
				AdditionalDates: []string{"2026-10-25T02:30", "2026-10-25T02:30+01:00", "2026-11-01T09:00Z"},
			}),
			event(t, "e6", calendar.Input{
				Title: "days with exceptions", StartTime: "2026-03-22", Recurrence: "FREQ=DAILY", ExcludedDates: []string{"2026-03-24"},
				AdditionalDates: []string{"2027-01-01"},
			}),
			event(t, "e7", calendar.Input{Title: "dates only", StartTime: "2026-03-22T09:00Z", AdditionalDates: []string{"2026-03-29"}}),
			event(t, "e4", calendar.Input{Title: "utc", StartTime: "2026-12-24T12:00:00Z"}),
		},
	} {
		text := written(t, name, append([]*store.Item{item("notes", "n1", `{"title":"other"}`)}, list...)...)
		got := readBack(t, name, text)
		if diff := cmp.Diff(list, got, sameDoc, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s has changed the items: %s\n%s", name, diff, text)
		}
		if empty := written(t, name); len(readBack(t, name, empty)) != 0 {
			t.Errorf("%s of nothing is %q", name, empty)
		}
	}
}

// TestOtherPrograms: files as other programs write them are read; the same name has the same id.
func TestOtherPrograms(t *testing.T) {
	firefox := "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><H3>Toolbar</H3>\n<DL><p>\n<DT><A HREF=\"https://a.example/\" " +
		"ADD_DATE=\"1700000000\" ICON=\"data:x\">A &amp; B</A>\n<DD>About\n<DT><A HREF=\"javascript:alert(1)\">evil</A>\n<DT><A " +
		"HREF=\"place:sort=8\">most</A>\n</DL><p>\n<DT><A HREF=\"https://b.example/\">B</A>\n</DL>"
	got := readBack(t, "html", firefox)
	if len(got) != 2 || !strings.Contains(string(got[0].Doc), `"category":"Toolbar"`) ||
		!strings.Contains(string(got[0].Doc), `"description":"About"`) ||
		strings.Contains(string(got[1].Doc), "Toolbar") || got[0].CreatedAt.Unix() != 1700000000 {
		t.Errorf("the bookmarks are %+v", got)
	}
	if again := readBack(t, "html", firefox); again[0].ID != got[0].ID || got[0].ID == got[1].ID {
		t.Errorf("the ids are %s, then %s, and %s", got[0].ID, again[0].ID, got[1].ID)
	}
	card := "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:urn:uuid:1\r\nN:Doe;Jo;;;\r\nFN:Jo Doe\r\nTEL;TYPE=CELL:+1 2\r\nADR;TYPE=HOME:;;Main St " +
		"1;Town;;123;Land\r\nBDAY:1980-01-02\r\nORG:Acme;Dept\r\nEND:VCARD\r\n"
	contact := string(readBack(t, "vcf", card)[0].Doc)
	for _, want := range []string{`"name":"Jo Doe"`, `"phone":"+1 2"`, `"address":"Main St 1, 123, Town, Land"`, `"birthday":"1980-01-02"`} {
		if !strings.Contains(contact, want) {
			t.Errorf("the contact is %s, want %s", contact, want)
		}
	}
	google := "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:a@google.com\r\nDTSTAMP:20260101T000000Z\r\nDTSTART;" +
		"TZID=America/New_York:20260308T013000\r\nDURATION:PT1H\r\nSUMMARY:Call\\, weekly\r\nRRULE:FREQ=WEEKLY\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
	call := string(readBack(t, "ics", google)[0].Doc)
	for _, want := range []string{`"title":"Call, weekly"`, `"timezone":"America/New_York"`, `"recurrence":"FREQ=WEEKLY"`, `"ends":`} {
		if !strings.Contains(call, want) {
			t.Errorf("the event is %s, want %s", call, want)
		}
	}
}

// TestProgramsUnreadable: a bad item is named with its line, the good ones are read, and
// nothing of the file is taken for something else.
func TestProgramsUnreadable(t *testing.T) {
	calendar := func(lines ...string) string {
		return "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:good\r\nSUMMARY:Good\r\nDTSTART:20260101T100000Z\r\nEND:VEVENT\r\n" +
			strings.Join(lines, "\r\n") + "\r\nEND:VCALENDAR\r\n"
	}
	lost := func(lines ...string) string {
		return calendar("BEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Lost\r\n" + strings.Join(lines, "\r\n") + "\r\nEND:VEVENT")
	}
	card := "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Good\r\nEND:VCARD\r\n"
	for _, tt := range []struct {
		format, text string
		line, items  int
		name, want   string
	}{
		{"vcf", "hello\r\n", 0, 0, "", "line 1"},
		{"vcf", card + "BEGIN:VCARD\r\nVERSION:4.0\r\nNOTE:x\r\nEND:VCARD\r\n" + card, 5, 2, "", "name"},
		{"vcf", card + "BEGIN:VCARD\r\nFN:Lost\r\n", 5, 1, "", "no END:VCARD"},
		{"vcf", card + "hello\r\n" + card, 5, 2, "", "outside"},
		{"ics", "hello\r\n", 0, 0, "", "line 1"},
		{"ics", lost(), 8, 1, "Lost", "no start"},
		{"ics", lost("DTSTART:tomorrow"), 8, 1, "Lost", "20260131T090000"},
		{"ics", lost("DTSTART;VALUE=DATE"), 8, 1, "Lost", "line 11: "},
		{"ics", lost("DTSTART:20260101T100000Z", "DTEND:never"), 8, 1, "Lost", "DTEND"},
		{"ics", lost("DTSTART:20260101T100000Z", "DURATION:long"), 8, 1, "Lost", "DURATION"},
		{"ics", lost("DTSTART:20260101T100000Z", "RRULE:FREQ=SOMETIMES"), 8, 1, "Lost", "recurrence"},
		{"ics", lost("DTSTART:20260101T100000Z", "RRULE:FREQ=DAILY", "EXDATE:soon"), 8, 1, "Lost", "EXDATE"},
		{"ics", lost("DTSTART;TZID=Nowhere:20260101T100000"), 8, 1, "Lost", `zone "Nowhere"`},
		{"ics", lost("DTSTART;TZID=Local:20260101T100000"), 8, 1, "Lost", `zone "Local"`},
		{"ics", lost(strings.Repeat("BEGIN:X\r\n", 50) + "X:1"), 8, 1, "Lost", "nest"},
		{"ics", calendar("BEGIN:VTODO", "SUMMARY:Lost", "END:VTODO"), 8, 1, "Lost", "only events"},
		{"ics", strings.TrimSuffix(calendar(), "END:VCALENDAR\r\n"), 1, 1, "", "no END:VCALENDAR"},
		{"html", `<DL><DT><A HREF="https://a.example/">A</A>` + "\n" + `<DT><a href="nowhere">Lost</a>`, 2, 1, "Lost", "not a full address"},
	} {
		items, problems := readAll(t, tt.format, tt.text)
		if len(items) != tt.items || len(problems) != 1 || problems[0].Line != tt.line || problems[0].Item != tt.name || problems[0].Stored ||
			!strings.Contains(problems[0].Reason, tt.want) {
			t.Errorf("%s of %q has %d items and %+v, want %d, line %d, %q", tt.format, tt.text, len(items), problems, tt.items, tt.line, tt.want)
		}
	}
}
