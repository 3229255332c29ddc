package console

import (
	"net/http"
	"reflect"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/protocol"
)

// sameWords tests that an approver reads what the owner reads: what will happen, and what the tool
// says of itself, on the page and over HTTP, in the language of each.
func sameWords(t *testing.T, p *roleWorld) {
	t.Helper()
	const report = "/v1/files/old/report-2025.txt?user=u1"
	if r := p.doors["u1"].Send(t, http.MethodPut, report, "rent 900\nheating 80\n", nil); r.Status != http.StatusCreated {
		t.Fatalf("files.put = %d %s", r.Status, r.Body)
	}
	parked := system.Park(t, p.doors["u1"], "default", `{"tool": "delete_file", "arguments": {"path": "old/report-2025.txt"}}`)
	at := "/v1/consents/" + parked.ConsentID
	var told []protocol.Consent
	for _, name := range []string{"u1", "cleo", "root", "eve"} {
		for language, want := range map[string]string{
			"": "Delete the file old/report-2025.txt", "de-AT,en;q=0.5": "Die Datei old/report-2025.txt löschen", "fr": "Delete the file old/report-2025.txt",
		} {
			r := p.doors[name].Send(t, http.MethodGet, at+"?user=u1", "", http.Header{"Accept-Language": {language}})
			c := system.Decode[protocol.Consent](t, r)
			if c.Sentence != want {
				t.Errorf("%s, who reads %q, is told %q, want %q", name, language, c.Sentence, want)
			}
			told = append(told, c)
		}
	}
	for _, c := range told {
		if c.Description == "" || c.Description != told[0].Description || c.Reason != told[0].Reason || c.Preview != told[0].Preview ||
			len(c.Changes) != 1 || !reflect.DeepEqual(c.Changes, told[0].Changes) || c.Changes[0].Old == nil ||
			*c.Changes[0].Old != "rent 900\nheating 80\n" || c.Changes[0].New != nil || len(c.Changes[0].OldSHA256) != 64 {
			t.Errorf("one is told %q, %q, %q, %+v, another %q, %q, %q, %+v", c.Description, c.Reason, c.Preview, c.Changes,
				told[0].Description, told[0].Reason, told[0].Preview, told[0].Changes)
		}
	}
	for _, name := range []string{"u1", "cleo"} {
		c := p.sign(t, p.keys[name], "/consents/"+parked.ConsentID)
		c.Until(`document.querySelector('h1')?.innerText === 'Delete the file old/report-2025.txt'`)
		c.Until(`document.querySelector('main').innerText.includes('` + told[0].Description[:60] + `')`)
		c.Until(`document.querySelector('.diff .removed')?.innerText.includes('rent 900')`)
	}
}
