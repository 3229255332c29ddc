package catalog

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// crowd is as many tools as there are, each with words of its own.
func crowd(t *testing.T) View {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2)) // the same each time
	word := func() string {
		b := make([]byte, 4+random.IntN(5))
		for i := range b {
			b[i] = byte('a' + random.IntN(26))
		}
		return string(b)
	}
	var defs []tool.Definition
	for i := range 300 {
		def := tool.Definition{Name: fmt.Sprintf("tool_%d", i), Category: "Crowd", Group: "crowd", Enabled: true}
		for range 20 {
			def.Description += word() + " "
			def.Tags = append(def.Tags, word())
		}
		defs = append(defs, def)
	}
	return view(filled(t, defs...))
}

// TestHostileWords: only the beginning of a long query, or of a long unknown name, is
// examined.
func TestHostileWords(t *testing.T) {
	v := crowd(t)
	var unknown strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&unknown, "%04x ", i)
	}
	for name, text := range map[string]string{
		"unknown words": unknown.String(), "known words": "tool_1 " + strings.Repeat("o ", 200_000), "one word": strings.Repeat("x", 1<<20),
		"unicode": strings.Repeat("\u0130\u1e9e\U0001f600\u0301 \xff ", 20_000),
	} {
		for what, ask := range map[string]func(string) any{
			"Search": func(s string) any { return v.Search(nil, "", tool.Search{Query: s, Limit: 20}) },
			"Near":   func(s string) any { return v.Near(nil, "", s, 5) },
		} {
			if got, want := ask(text+" tool_7"), ask(textcut.Head(text, maxQuery)); !reflect.DeepEqual(got, want) {
				t.Errorf("%s of %s = %v, want what its beginning finds: %v", what, name, got, want)
			}
		}
	}
}
