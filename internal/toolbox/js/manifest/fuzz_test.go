package manifest

import (
	"slices"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// FuzzManifest: no text makes Parse panic, and what it lets through can be
// offered.
func FuzzManifest(f *testing.F) {
	f.Add([]byte(full))
	f.Add([]byte("[" + full + "," + full + ", 5]"))
	f.Add([]byte(`{"name": "a", "description": "d", "parameters": {"properties": {"q": {"$ref": "#/x"}}}, "limit": {"param": "q"}, "scopes": {"hosts": [null]}}`))
	f.Add([]byte("\ufeff[]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, problems := Parse("a.json", data)
		if len(entries) == 0 && len(problems) == 0 {
			t.Error("neither a tool nor a problem")
		}
		var names []string
		for _, e := range entries {
			if _, err := tool.New(e.Definition, 0, nil); err != nil || e.Schema == nil || !functionPattern.MatchString(e.Function) {
				t.Errorf("entry %+v: %v", e, err)
			}
			if slices.Contains(names, e.Definition.Name) {
				t.Errorf("%s is there twice", e.Definition.Name)
			}
			names = append(names, e.Definition.Name)
		}
	})
}
