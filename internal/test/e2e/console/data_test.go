package console

import (
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/protocol"
)

// itemsOf returns how many items are kept of the person of a door.
func itemsOf(t *testing.T, d system.Door) int64 {
	t.Helper()
	return system.Decode[protocol.DataSummary](t, d.Ask(t, "default", "data.summary", nil, "")).Items
}

// TestData: a person sees how much of what is kept of them and nobody else's, exports it, and
// deletes it once they have entered their name; each is on the trail.
func TestData(t *testing.T) {
	t.Parallel()
	p := newPeople(t, nil)
	ann, bob, root := p.door(t, "ann"), p.door(t, "bob"), p.door(t, "root")
	for door, words := range map[system.Door][]string{ann: {"milk of ann", "bread of ann"}, bob: {"only for bob"}} {
		for _, text := range words {
			if e := system.One(t, door, "default", `{"tool": "add_note", "arguments": {"title": "Buy", "content": "`+text+`"}}`); e.Status != "success" {
				t.Fatalf("add_note = %v", e)
			}
		}
	}
	c := signed(t, p.URLs[0], p.keys["ann"], "/data")
	c.Until(rows + ` === 1 && document.querySelector('main tbody tr').innerText.replace(/\s+/g, ' ').startsWith('notes 2 ')`)
	if got := c.Eval(`document.querySelector('input[name=user]') === null`); got != "true" {
		t.Error("a person is offered the data of others")
	}
	c.Axe()
	c.Eval(`(() => { const real = URL.createObjectURL; URL.createObjectURL = (b) => { b.text().then((x) => { window.__saved = x; }); return real.call(URL, b); }; })()`)
	c.Click("text=Export")
	c.Until(`window.__saved?.includes('milk of ann') && window.__saved.includes('bread of ann') && !window.__saved.includes('only for bob')`)
	c.Click("text=Delete everything")
	c.Until(`document.querySelector('dialog[open]')?.innerText.includes('ann')`)
	c.Axe()
	c.Type(`dialog input[name=sure]`, "bob")
	c.Until(`document.querySelector('dialog button[type=submit]').disabled`)
	c.Press("Enter")
	c.Size(360, 740)
	c.Fits()
	c.Size(1280, 900)
	if got := itemsOf(t, ann); got != 2 {
		t.Errorf("of ann are kept %d items before she has confirmed", got)
	}
	c.Type(`dialog input[name=sure]`, "ann")
	c.Click(`dialog button[type=submit]`)
	c.Sees("Nothing is kept.")
	c.Sees("2 items and")
	if got := [2]int64{itemsOf(t, ann), itemsOf(t, bob)}; got != [2]int64{0, 1} {
		t.Errorf("of ann and bob are kept %v items, want none and one", got)
	}
	for _, tool := range []string{"data.export", "data.delete"} {
		records, _ := system.QueryRecords(t, root, "default", map[string]string{"tool": tool, "phase": "personal_data"})
		if len(records) != 1 || records[0].By != "ann" || records[0].User != "ann" {
			t.Errorf("the trail has %+v of %s", records, tool)
		}
	}

	c.Visit("/data?user=bob")
	c.Until(`document.querySelector('.failure') !== null`)
	admin := signed(t, p.URLs[0], p.keys["root"], "/data?user=bob")
	admin.Until(rows + ` === 1 && document.querySelector('input[name=user]').value === 'bob'`)
	looks, _ := system.QueryRecords(t, root, "default", map[string]string{"tool": "data.summary", "phase": "personal_data"})
	if len(looks) != 1 || looks[0].By != "root" || looks[0].User != "bob" {
		t.Errorf("the trail has %+v of looks at data", looks)
	}
}
