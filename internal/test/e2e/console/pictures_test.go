package console

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

var update = flag.Bool("update", false, "write the pictures instead of comparing them")

// tolerated is the share of a page that may look different.
const tolerated = 0.06

// kept is the directory of the pictures.
var kept = filepath.Join("..", "..", "..", "..", "docs", "images")

// TestPictures: the pages look as they are kept, in both themes and on a phone.
func TestPictures(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	call := days(t, tenant)
	tab := chromium.Tab(t)
	tab.Open(shared.URLs[0] + "/login") // a page to keep the tenant at
	tab.Eval(fmt.Sprintf(`localStorage.setItem('helve.tenant', %q)`, tenant))
	for _, tt := range []struct {
		name, path, theme string
		width, height     int
		// shown is the last that is loaded of the page.
		shown string
	}{
		{"inbox-light", "/", "light", 1280, 900, `.detail .json`},
		{"inbox-dark", "/", "dark", 1280, 900, `.detail .json`},
		{"inbox-phone", "/", "light", 390, 844, `main .row`},
		{"calls-light", "/calls", "light", 1280, 800, `main .row`},
		{"calls-dark", "/calls", "dark", 1280, 800, `main .row`},
		{"call-light", "/calls/" + call, "light", 1280, 900, `main pre`},
		{"tools-dark", "/tools", "dark", 1280, 800, `main tbody tr`},
	} {
		tab.Scheme(tt.theme)
		tab.Size(tt.width, tt.height)
		tab.Open(shared.URLs[0] + tt.path)
		tab.Until(`document.querySelector('main [aria-busy="true"]') === null && document.fonts.status === 'loaded'`)
		tab.Until(fmt.Sprintf(`document.querySelector(%q) !== null && !document.querySelector('main').innerText.includes('Run the tool')`,
			tt.shown))
		now, err := png.Decode(bytes.NewReader(tab.Picture()))
		if err != nil {
			t.Fatal(err)
		}
		compare(t, "console-"+tt.name+".png", now)
	}
}

// compare holds a picture against the kept one, or keeps it.
func compare(t *testing.T, name string, now image.Image) {
	t.Helper()
	file := filepath.Join(kept, name)
	small, err := shrunk(now)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, small, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, err := png.Decode(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if share := differing(before, now); share > tolerated {
		seen := filepath.Join(t.ArtifactDir(), name)
		_ = os.WriteFile(seen, small, 0o600)
		t.Errorf(
			"%.1f %% of %s look different, at most %.0f %% may; see %s (go test -artifacts keeps it); if it is meant, run this test with -update",
			100*share, name, 100*tolerated, seen,
		)
	}
}

// days makes calls as in the days of a person's agents, and returns a call that a person has
// granted.
func days(t *testing.T, tenant string) (granted string) {
	t.Helper()
	d := shared.HTTP(0)
	run := func(user, agent, conversation, calls string) []system.Element {
		t.Helper()
		return system.Execute(t, d, tenant,
			fmt.Sprintf(`{"context": {"user": %q, "agent": %q, "conversation": %q}, "consent": "return", "wait_ms": 30000, "calls": [%s]}`,
				user, agent, conversation, calls)).Results
	}
	write := func(path, content string) string {
		text, _ := json.Marshal(content)
		return fmt.Sprintf(`{"tool": "write_file", "arguments": {"path": %q, "content": %s}}`, path, text)
	}
	run("ann", "helper", "budget", write("notes/budget.md", "# Budget\n\n- Rent 900\n- Food 320\n"))
	run("ann", "helper", "budget", `{"tool": "calculate", "arguments": {"expression": "900 + 320"}}`)
	run("ann", "helper", "budget", `{"tool": "read_file", "arguments": {"path": "notes/plan.md"}}`)
	run("ben", "researcher", "trip", write("trips.csv", "city,days\nLisbon,4\nPorto,2\n"))
	run("ben", "researcher", "trip", `{"tool": "csv_to_json", "arguments": {"csv": "city,days\nLisbon,4\nPorto,2\n"}}`)
	run("ben", "researcher", "trip", `{"tool": "date_diff", "arguments": {"date1": "2026-05-01", "date2": "2026-05-07"}}`)
	run("ann", "helper", "budget", write("notes/old.md", "old"))
	asked := run("ann", "helper", "budget", `{"tool": "delete_file", "arguments": {"path": "notes/old.md"}}`)[0]
	if r := system.Decide(t, d, tenant, asked.ConsentID,
		`{"decision": "grant", "user": "ann", "comment": "The new one has all of it."}`); r.Status != 200 {
		t.Fatalf("consent.decide = %d %s", r.Status, r.Body)
	}
	system.Eventually(t, "the granted call is done", func() bool {
		r := d.Ask(t, tenant, "calls.get", map[string]string{"call_id": asked.CallID}, "")
		return system.Decode[system.Element](t, r).State == "done"
	})
	run("ann", "helper", "budget", `{"tool": "delete_file", "arguments": {"path": "notes/budget.md"}}`)
	code, _ := json.Marshal("// What a stay costs, by the rates of the day.\nconst rates = await " +
		"fetch('https://rates.example/today').then((r) => r.json());\nreturn args.nights * rates[args.city];\n")
	run("ben", "researcher", "trip",
		fmt.Sprintf(`{"tool": "create_tool", "arguments": {"name": "stay_cost", "description": "Tell what a stay in a city costs.",
		"parameters": "{\"type\": \"object\", \"properties\": {\"city\": {\"type\": \"string\"}, \"nights\": {\"type\": \"integer\"}}}", "permissions": ["network"], "code": %s}}`, code))
	return asked.CallID
}
