package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/knadh/koanf/v2"
)

// layer is the settings of one source, and the source's name for each key.
type layer struct {
	values map[string]any
	from   func(path string) string
}

// read loads a layer from provider and parser with koanf.
func read(provider koanf.Provider, parser koanf.Parser, from func(string) string) (layer, error) {
	k := koanf.New(".")
	if err := k.Load(provider, parser); err != nil {
		return layer{}, err
	}
	return layer{values: k.Raw(), from: from}, nil
}

// target is the Config under construction: its keys, and the source of each so far.
type target struct {
	keys map[string]field
	from map[string]string
}

// apply applies l to t and returns the problems of l. It walks the values itself
// because a flattened map would accept the key "nats.url" for url in the section nats.
func (t target) apply(l layer) []*Problem {
	return t.section("", l.values, l.from)
}

func (t target) section(prefix string, values map[string]any, from func(string) string) []*Problem {
	var problems []*Problem
	for _, name := range slices.Sorted(maps.Keys(values)) {
		path, raw := prefix+name, values[name]
		f, known := t.keys[path]
		inner, nested := raw.(map[string]any)
		problem := func(text string) {
			problems = append(problems, &Problem{Path: textcut.Clip(path, longestShown), From: from(path), Text: text})
		}
		switch {
		case strings.Contains(name, "."):
			problem("keys hold no dots; write each level on a line of its own, indented")
		case known && raw == nil:
			// An empty key sets nothing, like a key that is commented out.
		case known:
			if err := decode(f.ptr, raw); err != nil {
				problem(err.Error())
				continue
			}
			t.from[path] = from(path)
		case !isSection(t.keys, path):
			problem("unknown key" + hint(path, t.keys))
		case nested:
			problems = append(problems, t.section(path+".", inner, from)...)
		case raw != nil:
			problem("is " + kind(raw) + "; want a section with keys of its own")
		}
	}
	return problems
}
