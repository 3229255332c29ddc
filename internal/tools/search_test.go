package tools

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/tool"
)

// shop is a catalogue of all tools, with every group switched on.
func shop(t testing.TB) catalog.View {
	t.Helper()
	all := catalog.New()
	var on []string
	for _, set := range Builtin() {
		for _, tl := range set.Tools() {
			if err := all.Put(tl.Definition); err != nil {
				t.Fatal(err)
			}
			on = append(on, tl.Definition.Group+"=on")
		}
	}
	tenants := catalog.NewTenants(all)
	var err error
	slices.Sort(on)
	if tenants.Switches, err = catalog.ParseSwitches(slices.Compact(on)); err != nil {
		t.Fatal(err)
	}
	return tenants.Of("t", "")
}

type request struct {
	text  string
	right []string
}

func requests(t testing.TB) []request {
	t.Helper()
	text, err := os.ReadFile("testdata/requests.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []request
	for line := range strings.Lines(string(text)) {
		said, right, ok := strings.Cut(strings.TrimSpace(line), " | ")
		if ok {
			all = append(all, request{said, strings.Split(right, ", ")})
		}
	}
	return all
}

// TestRequests runs the search on plain requests: for at least 95 of 100 a right tool
// is among the first five. It prints the failures.
func TestRequests(t *testing.T) {
	view, all := shop(t), requests(t)
	if len(all) < 200 {
		t.Fatalf("there are %d requests, want 200", len(all))
	}
	var misses []string
	for _, r := range all {
		for _, name := range r.right {
			if _, ok := view.Lookup(name); !ok {
				t.Errorf("%q wants %s, which there is not", r.text, name)
			}
		}
		if first := firstFive(view, r.text); !slices.ContainsFunc(first, func(name string) bool { return slices.Contains(r.right, name) }) {
			misses = append(misses, fmt.Sprintf("%s\n\twant %s, found %s", r.text, strings.Join(r.right, " or "), strings.Join(first, ", ")))
		}
	}
	t.Logf("%d of %d requests find their tool", len(all)-len(misses), len(all))
	if len(misses) > 0 {
		t.Logf("missed:\n%s", strings.Join(misses, "\n"))
	}
	if len(misses)*100 > len(all)*5 {
		t.Errorf("%d of %d requests miss, want at most 5 in 100", len(misses), len(all))
	}
}

func firstFive(view catalog.View, text string) []string {
	var names []string
	for _, def := range view.Search(nil, "", tool.Search{Query: text, Limit: 5}).Tools {
		names = append(names, def.Name)
	}
	return names
}

// TestTypos: a typo in a known word never gives an empty page, nor a page without the
// tool.
func TestTypos(t *testing.T) {
	view := shop(t)
	for text, want := range map[string]string{
		"wether": "get_weather", "calender": "list_calendar_events", "emial": "send_email", "pasword": "generate_password",
		"trnaslate": "translate_text", "shedule": "create_scheduled_task", "bookmrk": "add_bookmark", "clacualte": "calculate",
		"send emial to anna": "send_email", "read_fiel": "read_file", "get wheather": "get_weather",
	} {
		var found []string
		for _, def := range view.Search(nil, "", tool.Search{Query: text, Limit: 10}).Tools {
			found = append(found, def.Name)
		}
		if !slices.Contains(found, want) {
			t.Errorf("%q finds %q, want %s among them", text, found, want)
		}
	}
	for name, want := range map[string]string{
		"read_fil": "read_file", "sendEmail": "send_email", "ReadFile": "read_file", "search_tool": "search_tools", "write_to_file": "write_file",
	} {
		if near := view.Near(nil, "", name, 5); !slices.Contains(near, want) {
			t.Errorf("Near(%s) = %q, want %s in it", name, near, want)
		}
	}
}

// BenchmarkSearch searches 2,000 tools by words and by plain requests; the limit of the
// median is 1 ms.
func BenchmarkSearch(b *testing.B) {
	view, all := shop(b), requests(b)
	many := catalog.New()
	var defs []tool.Definition
	for i := range 2000/len(view.All()) + 1 {
		for _, def := range view.All() {
			copied := *def
			copied.Name, copied.Aliases = fmt.Sprintf("%s_%d", def.Name, i), nil
			defs = append(defs, copied)
		}
	}
	if err := many.Put(defs[:2000]...); err != nil {
		b.Fatal(err)
	}
	large := catalog.NewTenants(many).Of("t", "")
	for _, bb := range []struct {
		name string
		ask  func(i int) string
	}{
		{"words", func(i int) string { return []string{"send email", "file", "list tasks", "git commit"}[i%4] }},
		{"requests", func(i int) string { return all[i%len(all)].text }},
		{"typos", func(i int) string { return []string{"wether", "calender", "trnaslate"}[i%3] }},
	} {
		b.Run(bb.name, func(b *testing.B) {
			large.Search(nil, "", tool.Search{Query: "warm", Limit: 5})
			i := 0
			for b.Loop() {
				large.Search(nil, "", tool.Search{Query: bb.ask(i), Limit: 20})
				i++
			}
		})
	}
}
