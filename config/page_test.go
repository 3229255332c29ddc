package config

import (
	stdflag "flag"
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/helve-dev/helve/internal/x/docsection"
)

var update = stdflag.Bool("update", false, "write the settings of docs/settings.md")

// TestSettingsPage compares the settings in docs/settings.md with default.yaml.
func TestSettingsPage(t *testing.T) {
	var doc yaml.Node
	if err := yaml.Unmarshal(DefaultYAML(), &doc); err != nil {
		t.Fatal(err)
	}
	byKey := map[string][]string{}
	for _, f := range flags {
		seen := map[string]bool{}
		for _, role := range []Role{Up, Dispatcher, Worker} {
			if key := f.key[role]; key != "" && !seen[key] {
				seen[key] = true
				byKey[key] = append(byKey[key], "`--"+f.name+"`")
			}
		}
	}
	var b strings.Builder
	for i := 0; i < len(doc.Content[0].Content); i += 2 {
		name, value := doc.Content[0].Content[i], doc.Content[0].Content[i+1]
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "## %s\n\n", name.Value)
		if value.Kind == yaml.MappingNode {
			fmt.Fprintf(&b, "%s\n\n", note(name.HeadComment))
		}
		b.WriteString("| Setting | Default | Flag | Meaning |\n|---|---|---|---|\n")
		rows(&b, "", name, value, byKey)
	}
	if err := docsection.Sync("../docs/settings.md", "settings", strings.TrimSuffix(b.String(), "\n"), *update); err != nil {
		t.Error(err)
	}
}

// rows writes the rows of a setting, or of all settings of a section.
func rows(b *strings.Builder, prefix string, name, value *yaml.Node, byKey map[string][]string) {
	path := prefix + name.Value
	if value.Kind == yaml.MappingNode && len(value.Content) > 0 {
		for i := 0; i < len(value.Content); i += 2 {
			rows(b, path+".", value.Content[i], value.Content[i+1], byKey)
		}
		return
	}
	is := "none"
	switch {
	case value.Kind == yaml.ScalarNode && value.Value != "":
		is = "`" + value.Value + "`"
	case value.Kind == yaml.SequenceNode && len(value.Content) > 0:
		var items []string
		for _, item := range value.Content {
			items = append(items, "`"+item.Value+"`")
		}
		is = strings.Join(items, ", ")
	}
	fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", path, is, strings.Join(byKey[path], " "), note(name.HeadComment))
}

// note returns a comment of the file as one line of Markdown.
func note(comment string) string {
	var words []string
	for line := range strings.Lines(comment) {
		words = append(words, strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "#")))
	}
	return strings.NewReplacer("|", "\\|", "<", "\\<", "*", "\\*").Replace(strings.Join(words, " "))
}
