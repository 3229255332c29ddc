package personaldata

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/ports/store"
)

// FuzzRead: whatever a file holds, reading it ends, and items have JSON documents.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"collection":"notes","id":"a","doc":{}}`,
		"_collection,_id,_created_at,_updated_at,_search,t\nnotes,a,,,,x\n",
		"BEGIN:VCARD\r\nVERSION:4.0\r\nFN:A\r\nADR:;;x;;;;\r\nEND:VCARD\r\n",
		"BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART:20260101T000000Z\r\nRRULE:FREQ=DAILY\r\nBEGIN:VALARM\r\nTRIGGER:-PT5M\r\nEND:VALARM\r\n" +
			"END:VEVENT\r\nEND:VCALENDAR\r\n",
		"<DL><p><DT><H3>F</H3><DL><p><DT><A HREF=\"https://a.example/\" TAGS=\"x,y\">A</A><DD>d</DL>",
	} {
		for i := range Formats() {
			f.Add(i, seed)
		}
	}
	f.Fuzz(func(t *testing.T, format int, text string) {
		names := Formats()
		name := names[uint(format)%uint(len(names))]
		_ = Read(name, strings.NewReader(text), func(item *store.Item) error {
			if name != JSONL && !json.Valid(item.Doc) && len(item.Doc) > 0 {
				t.Errorf("%s has the document %q", name, item.Doc)
			}
			return nil
		}, func(Problem) {})
	})
}
