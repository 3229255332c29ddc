package config

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

func TestDefaultIsValid(t *testing.T) {
	if err := Default().Validate(); err != nil {
		t.Errorf("Default().Validate() = %v, want nil", err)
	}
}

func TestDefaultYAMLLoadsAsDefault(t *testing.T) {
	got, err := Load(Source{File: "default.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Default(), got); diff != "" {
		t.Errorf("Load(default.yaml) differs from Default() (-want +got):\n%s", diff)
	}
}

func TestDefaultYAMLNamesEveryKey(t *testing.T) {
	var doc yaml.Node
	if err := yaml.Unmarshal(DefaultYAML(), &doc); err != nil {
		t.Fatal(err)
	}
	c := Default()
	var want []string
	for _, f := range fields(&c) {
		want = append(want, f.path)
	}
	if got := commented(t, "", doc.Content[0]); !slices.Equal(got, want) {
		t.Errorf("default.yaml differs from Config in its keys or their order:\n%s", cmp.Diff(want, got))
	}
}

// commented lists the keys of a section, in order, and fails for each, and for
// each section, that has no comment above it.
func commented(t *testing.T, prefix string, section *yaml.Node) []string {
	t.Helper()
	var paths []string
	for i := 0; i < len(section.Content); i += 2 {
		name, value := section.Content[i], section.Content[i+1]
		path := prefix + name.Value
		if name.HeadComment == "" {
			t.Errorf("default.yaml line %d: %s has no comment above it", name.Line, path)
		}
		if value.Kind == yaml.MappingNode {
			paths = append(paths, commented(t, path+".", value)...)
		} else {
			paths = append(paths, path)
		}
	}
	return paths
}

func TestDefaultYAMLIsACopy(t *testing.T) {
	DefaultYAML()[0] = 'x'
	if got := DefaultYAML()[0]; got != '#' {
		t.Errorf("DefaultYAML()[0] = %q after writing to a copy, want '#'", got)
	}
}
