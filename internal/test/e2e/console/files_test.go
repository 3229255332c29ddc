package console

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// put stores a file in the workspace of the person of a door.
func put(t *testing.T, d system.HTTPDoor, path, contents string) {
	t.Helper()
	if r := d.Send(t, http.MethodPut, "/v1/files/"+path, contents, nil); r.Status/100 != 2 {
		t.Fatalf("PUT %s = %d %s", path, r.Status, r.Body)
	}
}

// contentsOf returns the contents of a file of the person of a door, empty if there is none.
func contentsOf(t *testing.T, d system.HTTPDoor, path string) string {
	t.Helper()
	if r := d.Send(t, http.MethodGet, "/v1/files/"+path, "", nil); r.Status == http.StatusOK {
		return string(r.Body)
	}
	return ""
}

// chooseFile has a file of the computer chosen in the open dialog.
func (c *console) chooseFile(name, contents string) {
	c.Until(`document.querySelector('dialog input[type=file]') !== null`)
	c.Eval(fmt.Sprintf(`(() => {
		const input = document.querySelector('dialog input[type=file]'), chosen = new DataTransfer();
		chosen.items.add(new File([%q], %q));
		input.files = chosen.files;
		input.dispatchEvent(new Event('change', { bubbles: true }));
	})()`, contents, name))
}

// TestFiles: a person browses their workspace and nobody else's, reads the beginning of a text,
// downloads a file, stores one without replacing another by accident, and deletes one after its
// name was shown; what changes something is on the trail.
func TestFiles(t *testing.T) {
	t.Parallel()
	p := newPeople(t, nil)
	ann, bob, root := p.door(t, "ann"), p.door(t, "bob"), p.door(t, "root")
	put(t, ann, "notes.txt", "first line\n"+hostile)
	put(t, ann, "in/deep/long.txt", strings.Repeat("é", 40_000))
	put(t, ann, "in/a%20picture.bin", "\x00\xff\x00")
	put(t, bob, "bobs.txt", "only for bob")

	c := signed(t, p.URLs[0], p.keys["ann"], "/files")
	c.Until(shown + ` === 'in/a picture.bin in/deep/long.txt notes.txt'`)
	c.Until(`[...document.querySelectorAll('.row-link')].every((a) => a.getAttribute('aria-describedby').split(' ').every((id) => document.getElementById(id)?.innerText.includes('bytes')))`)
	c.Axe()
	c.Click(`.facet-path summary`)
	c.Click(`.facet-path [data-value="in"]`)
	c.Until(`location.search === '?path=in' && ` + shown + ` === 'in/a picture.bin in/deep/long.txt'`)
	c.Click(row("in/deep/long.txt") + ` .row-link`)
	c.Until(`location.pathname === '/files/in%2Fdeep%2Flong.txt' && document.querySelector('.detail .code')?.innerText.startsWith('éé')`)
	c.Sees("80,000 bytes")
	c.Sees("The first 65,536 bytes.")
	c.Visit("/files/in%2Fa%20picture.bin") // the document is loaded at this address
	c.Sees("The file is not text.")
	c.Visit("/files/notes.txt")
	c.Until(`document.querySelector('.detail .code')?.innerText.includes('first line')`)
	c.Unharmed()
	c.Axe()
	c.Size(360, 740)
	c.Fits()
	c.Size(1280, 900)
	c.Eval(`(() => { const real = URL.createObjectURL; URL.createObjectURL = (b) => { b.text().then((x) => { window.__saved = x; }); return real.call(URL, b); }; })()`)
	c.Click("text=Download")
	c.Until(`window.__saved?.startsWith('first line')`)

	c.Click("text=Upload")
	c.chooseFile("notes.txt", "second")
	c.Axe()
	c.Click(`dialog button[type=submit]`)
	c.Sees("There is a file at this path already.")
	if got := contentsOf(t, ann, "notes.txt"); !strings.HasPrefix(got, "first line") {
		t.Errorf("the file was replaced by %q without a question", got)
	}
	c.Click(`dialog input[name=replace]`)
	c.Click(`dialog button[type=submit]`)
	c.Until(`document.querySelector('dialog') === null && document.querySelector('.detail .code').innerText === 'second'`)
	c.Click("text=Delete")
	c.Until(`document.querySelector('dialog[open]')?.innerText.includes('notes.txt')`)
	c.confirm("Delete")
	c.Until(`location.pathname === '/files' && ` + shown + ` === 'in/a picture.bin in/deep/long.txt'`)
	if got := contentsOf(t, ann, "notes.txt"); got != "" {
		t.Errorf("the file is still %q", got)
	}
	for _, tool := range []string{"files.put", "files.delete"} {
		query := map[string]string{"tool": tool, "phase": "personal_data", "user": "ann", "text": "notes.txt", "newest": "true"}
		records, _ := system.QueryRecords(t, root, "default", query)
		if len(records) == 0 || records[len(records)-1].By != "ann" {
			t.Errorf("the trail has %+v of %s", records, tool)
		}
	}

	c.Visit("/files/bobs.txt")
	c.Until(`document.querySelector('.detail .failure') !== null && document.querySelector('.detail .head button') === null`)
	c.Visit("/files?user=bob")
	c.Until(`document.querySelector('.failure') !== null`)
	admin := signed(t, p.URLs[0], p.keys["root"], "/files/bobs.txt?user=bob")
	admin.Until(`document.querySelector('.detail .code')?.innerText === 'only for bob'`)
	looks, _ := system.QueryRecords(t, root, "default", map[string]string{"tool": "files.get", "phase": "personal_data", "user": "bob"})
	if len(looks) != 1 || looks[0].By != "root" {
		t.Errorf("the trail has %+v of the look of the admin", looks)
	}
}
