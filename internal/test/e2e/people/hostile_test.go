package people

import (
	"encoding/json"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/testmutate"
)

// TestHostileImports: whatever file a person imports, the answer is of that request, and the
// system still answers others.
func TestHostileImports(t *testing.T) {
	const calendar = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1\r\nORGANIZER;CN=Example\r\nDTSTART:20260101T100000Z\r\n" +
		"END:VEVENT\r\nEND:VCALENDAR\r\n"
	const card = "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:A;B\r\nADR;TYPE=\"x\":;;x;;;;\r\nEND:VCARD\r\n"
	t.Parallel()
	d, tenant := shared.HTTP(0), system.NewTenant()
	for i := range 40 {
		for format, seed := range map[string]string{
			"ics":  calendar,
			"vcf":  card,
			"html": "<DL><DT><A HREF=\"https://a.example/\">A</A>",
			"csv":  "_collection,_id,_created_at,_updated_at,_search,t\nnotes,a,,,,x\n",
		} {
			body, err := json.Marshal(map[string]any{"user": "ann", "format": format, "data": string(testmutate.File([][]byte{[]byte(seed)}, i))})
			if err != nil {
				t.Fatal(err)
			}
			if got := web(t, d, tenant, "POST", "/v1/data/import", string(body)); got.Status != 200 && got.Status != 400 {
				t.Errorf("%s file %d: %d %s", format, i, got.Status, got.Body)
			}
		}
	}
	want(t, web(t, d, tenant, "GET", "/v1/data/export?user=ann&format=ics", ""), 200, "DTSTART:20260101T100000Z")
}
