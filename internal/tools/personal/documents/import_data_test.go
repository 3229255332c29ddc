package documents

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/tools/personal/calendar"
	"github.com/helve-dev/helve/internal/tools/personal/contacts"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

const (
	events = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Lunch\r\nDTSTART;TZID=Europe/Berlin:20261123T120000\r\n" +
		"DTEND;TZID=Europe/Berlin:20261123T130000\r\nEND:VEVENT\r\n" +
		"BEGIN:VEVENT\r\nUID:2\r\nSUMMARY:Fair\r\nDTSTART;VALUE=DATE:20261201\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nUID:3\r\nSUMMARY:Lost\r\n" +
		"END:VEVENT\r\nEND:VCALENDAR\r\n"
	cards = "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ann Lee\r\nEMAIL:ann@example.com\r\nEND:VCARD\r\nBEGIN:VCARD\r\nVERSION:3.0\r\nFN:Bob\r\n" +
		"END:VCARD\r\n"
)

func TestImportData(t *testing.T) {
	files := disk(t, map[string]string{
		"cal.txt": events, "people.vcf": cards, "more.vcf": cards + "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Cy\r\nEND:VCARD\r\n",
		"broken.ics": "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:x\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n", "notes.txt": "hello",
		"many.vcf": strings.Repeat(cards, maxImported/2+1),
	})
	store := tooltest.NewStore(t)
	call := tool.Call{Tenant: "default", User: "ann", Files: files, Store: store.For("default", "ann")}
	people := `{"message":"Added 2 of 2; 0 were there already, 0 cannot be read.","format":"vcf","added":2,"kept":0,"skipped":0}`
	tooltest.Run(t, Set, "import_data", call, []tooltest.Case{
		{Name: "events", Args: `{"path":"cal.txt"}`, Check: func(t *testing.T, res tool.Result) {
			t.Helper()
			var got importDataResult
			if err := json.Unmarshal(res.Value, &got); err != nil || got.Format != "ics" || got.Added != 2 || got.Skipped != 1 ||
				len(got.Problems) != 1 || got.Problems[0].Item != "Lost" || got.Problems[0].Line != 14 {
				t.Errorf("%s, %v", res.Value, err)
			}
		}},
		{Name: "events again", Args: `{"path":"cal.txt"}`, Check: func(t *testing.T, res tool.Result) {
			t.Helper()
			var got importDataResult
			if err := json.Unmarshal(res.Value, &got); err != nil || got.Added != 0 || got.Kept != 2 || got.Skipped != 1 {
				t.Errorf("%s, %v", res.Value, err)
			}
		}},
		{Name: "contacts", Args: `{"path":"people.vcf"}`, Want: people},
		{
			Name: "and one more",
			Args: `{"path":"more.vcf"}`,
			Want: `{"message":"Added 1 of 3; 2 were there already, 0 cannot be read.","format":"vcf","added":1,"kept":2,"skipped":0}`,
		},
		{Name: "nothing good", Args: `{"path":"broken.ics"}`, Fails: tool.ValidationError, Message: "nothing that can be imported"},
		{Name: "too many", Args: `{"path":"many.vcf"}`, Fails: tool.FileTooLarge, Message: "split it"},
		{Name: "another file", Args: `{"path":"notes.txt"}`, Fails: tool.Unsupported, Message: "neither iCalendar"},
		{Name: "missing", Args: `{"path":"x.ics"}`, Fails: tool.FileNotFound},
		{Name: "outside", Args: `{"path":"../x.ics"}`, Fails: tool.PathNotAllowed},
		{Name: "no path", Args: `{}`, Fails: tool.ValidationError, Message: "path"},
	})
	stored, err := calendar.Collection.Query(t.Context(), call.Store, tool.Query{Order: []tool.Order{{Field: "starts"}}})
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, r := range stored.List {
		titles = append(titles, r.Value.Title+" "+r.Value.StartTime)
	}
	if diff := cmp.Diff([]string{"Lunch 2026-11-23T12:00:00+01:00", "Fair 2026-12-01"}, titles); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if people, err := contacts.Collection.Query(t.Context(), call.Store, tool.Query{}); err != nil || len(people.List) != 3 {
		t.Errorf("%d contacts, %v", len(people.List), err)
	}
	if theirs, err := contacts.Collection.Query(t.Context(), store.For("default", "bob"), tool.Query{}); err != nil || len(theirs.List) != 0 {
		t.Errorf("another person has %d contacts, %v", len(theirs.List), err)
	}
}

// TestImportAsks: an import asks a person, by its risk.
func TestImportAsks(t *testing.T) {
	for _, tl := range Set.Tools() {
		if tl.Name == "import_data" && (tl.Risk != tool.Medium || !tl.Mutates || !tl.Transactional) {
			t.Errorf("risk %s, mutates %v, transactional %v", tl.Risk, tl.Mutates, tl.Transactional)
		}
	}
}
