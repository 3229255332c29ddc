package deploytest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// definition is the part of a CustomResourceDefinition that says how its objects look.
type definition struct {
	Spec struct {
		Group string
		Names struct{ Kind string }

		Versions []struct {
			Name   string
			Schema struct{ OpenAPIV3Schema map[string]any }
		}
	}
}

// closed makes a schema refuse properties that it does not name, as strict decoding does.
func closed(s any) {
	switch s := s.(type) {
	case map[string]any:
		_, has := s["properties"].(map[string]any)
		if _, open := s["additionalProperties"]; has && !open && s["x-kubernetes-preserve-unknown-fields"] != true {
			s["additionalProperties"] = false
		}
		for _, v := range s {
			closed(v)
		}
	case []any:
		for _, v := range s {
			closed(v)
		}
	}
}

// published compiles the schemas of kinds that are not Kubernetes' own.
func published(t *testing.T) map[schema.GroupVersionKind]*jsonschema.Schema {
	t.Helper()
	files, err := filepath.Glob("testdata/crds/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no definitions", err)
	}
	all := map[schema.GroupVersionKind]*jsonschema.Schema{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var d definition
		if err := yaml.Unmarshal(text, &d); err != nil {
			t.Fatal(err)
		}
		for _, v := range d.Spec.Versions {
			root := v.Schema.OpenAPIV3Schema
			closed(root)
			root["properties"].(map[string]any)["metadata"] = map[string]any{"type": "object"}
			encoded, err := json.Marshal(root)
			if err != nil {
				t.Fatal(err)
			}
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(encoded))
			if err != nil {
				t.Fatal(err)
			}
			c := jsonschema.NewCompiler()
			c.DefaultDraft(jsonschema.Draft4)
			if err := c.AddResource(file, value); err != nil {
				t.Fatal(err)
			}
			compiled, err := c.Compile(file)
			if err != nil {
				t.Fatal(err)
			}
			all[schema.GroupVersionKind{Group: d.Spec.Group, Version: v.Name, Kind: d.Spec.Names.Kind}] = compiled
		}
	}
	return all
}

// TestManifestsDecode checks every object against the type or the published schema of its
// kind. Unknown fields are errors.
func TestManifestsDecode(t *testing.T) {
	schemas := published(t)
	check := func(t *testing.T, all rendered) { // render has decoded those with a type
		for _, o := range all {
			if o.typed != nil {
				continue
			}
			s := schemas[o.gvk]
			if s == nil {
				t.Errorf("%s: no schema of %s is in testdata/crds", o, o.gvk)
				continue
			}
			if err := valid(s, o.yaml); err != nil {
				t.Errorf("%s: %v", o, err)
			}
		}
	}
	each(t, check)
	for _, dir := range []string{"pools/words", "components/hpa", "../apiserver/alternatives"} {
		t.Run(filepath.Base(dir), func(t *testing.T) { check(t, render(t, dir)) })
	}
}

func valid(s *jsonschema.Schema, text []byte) error {
	encoded, err := yaml.YAMLToJSON(text)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(encoded))
	if err != nil {
		return err
	}
	return s.Validate(value)
}

// TestSchemasAreStrict checks that a misspelt field of such a kind is found.
func TestSchemasAreStrict(t *testing.T) {
	for gvk, s := range published(t) {
		wrong := "apiVersion: " + gvk.GroupVersion().String() + "\nkind: " + gvk.Kind + "\nmetadata: {name: x}\nspec: {nonsense: 1}\n"
		if valid(s, []byte(wrong)) == nil {
			t.Errorf("%s accepts the field spec.nonsense", gvk)
		}
	}
}
