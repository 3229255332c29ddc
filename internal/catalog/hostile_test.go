package catalog

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

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

// TestHostileWords: whoever looks for tools, or names one that there is not, takes no
// more than a moment, however much he says.
func TestHostileWords(t *testing.T) {
	v := crowd(t)
	var unknown, known strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&unknown, "%04x ", i)
		known.WriteString("o ")
	}
	unicode := strings.Repeat("\u0130\u1e9e\U0001f600\u0301 \xff ", 20_000)
	for name, text := range map[string]string{
		"unknown words": unknown.String(), "known words": "tool_1 " + known.String(), "one word": strings.Repeat("x", 1<<20), "unicode": unicode,
	} {
		for what, ask := range map[string]func(){
			"Search": func() { v.Search(nil, "", tool.Search{Query: text, Limit: 20}) },
			"Near":   func() { v.Near(nil, "", text, 5) },
			"List":   func() { v.List(Filter{Query: text}) },
		} {
			start := time.Now()
			ask()
			if took := time.Since(start); took > 2*time.Second {
				t.Errorf("%s of %s took %s", what, name, took.Round(time.Millisecond))
			}
		}
	}
}
