package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestCertainlyValidIsValid generates schemas that the fast check knows together with
// values near them, and compares the verdicts of the fast check, gojsonschema and santhosh.
func TestCertainlyValidIsValid(t *testing.T) {
	sure, valid := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		members := map[string]any{}
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(drawnNames), 1, 4, rapid.ID).Draw(rt, "names") {
			members[name] = drawSchema(rt, 0)
		}
		document := map[string]any{"type": "object", "properties": members}
		if rapid.Bool().Draw(rt, "closed") {
			document["additionalProperties"] = drawSchema(rt, 2)
		}
		if rapid.Bool().Draw(rt, "needs") {
			document["required"] = []any{rapid.SampledFrom(slices.Sorted(maps.Keys(members))).Draw(rt, "required")}
		}
		s := compile(t, string(encode(document)))
		theirs := compileSanthosh(t, string(encode(document)))
		args := encode(drawObject(rt, 0))
		scan := borrow(args)
		defer scan.release()
		if _, _, err := s.read(scan); err != nil {
			rt.Fatalf("read(%s) = %v", args, err)
		}
		kept := rebuild(args, scan.kept, nil, nil)
		v, err := decode(kept)
		if err != nil {
			rt.Fatal(err)
		}
		problems := s.library.problems(v, &meter{left: maxSteps})
		if !scan.unsure {
			sure++
		}
		if problems == nil {
			valid++
		}
		if !scan.unsure && problems != nil {
			rt.Fatalf("schema %s, arguments %s: the fast check is sure, gojsonschema says %q", encode(document), kept, problems)
		}
		if err := theirs.Validate(v); (err == nil) != (problems == nil) {
			rt.Fatalf("schema %s, arguments %s: santhosh says %v, gojsonschema %q", encode(document), kept, err, problems)
		}
	})
	if sure == 0 || valid == 0 {
		t.Errorf("sure of %d, %d valid: the property was not tried", sure, valid)
	}
}

var (
	drawnNames   = []string{"a", "b", "c", "d e", "é"}
	drawnScalars = []string{
		`0`, `1`, `-1`, `2.0`, `2.5`, `1e2`, `100`, `12345678901234567890`, `""`, `"a"`, `"ab"`, `"é"`, `"<&>"`, `true`, `false`, `null`,
	}
)

func drawScalar(rt *rapid.T) any {
	v, err := decode([]byte(rapid.SampledFrom(drawnScalars).Draw(rt, "scalar")))
	if err != nil {
		rt.Fatal(err)
	}
	return v
}

func drawValue(rt *rapid.T, depth int) any {
	switch rapid.IntRange(0, 3+depth).Draw(rt, "kind") {
	case 0:
		return drawObject(rt, depth+1)
	case 1:
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(rt, "items") {
			list = append(list, drawValue(rt, depth+1))
		}
		return list
	}
	return drawScalar(rt)
}

func drawObject(rt *rapid.T, depth int) any {
	m := map[string]any{}
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(drawnNames), 0, 5, rapid.ID).Draw(rt, "members") {
		m[name] = drawValue(rt, depth+1)
	}
	return m
}

// drawSchema generates a schema of the keywords the fast check knows. Numbers in enum and
// const stay within the range that floats hold exactly.
func drawSchema(rt *rapid.T, depth int) any {
	m := map[string]any{}
	number := func() any {
		return json.Number(rapid.SampledFrom([]string{"0", "1", "-1", "2", "2.5", "100.0"}).Draw(rt, "number"))
	}
	size := func() any { return json.Number(fmt.Sprint(rapid.IntRange(0, 2).Draw(rt, "size"))) }
	for _, word := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
		"type", "type", "types", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
		"minLength", "maxLength", "minItems", "maxItems", "items", "properties", "additionalProperties",
	}), 0, 3, rapid.ID).Draw(rt, "words") {
		switch {
		case word == "type":
			m["type"] = rapid.SampledFrom(slices.Sorted(maps.Keys(kindNames))).Draw(rt, "type")
		case word == "types":
			m["type"] = []any{"string", "integer"}
		case word == "enum":
			m["enum"] = []any{"a", "<&>", json.Number("1"), true, nil}
		case word == "const":
			m["const"] = "é"
		case strings.HasSuffix(word, "Length"), strings.HasPrefix(word, "maxI"), strings.HasPrefix(word, "minI"):
			m[word] = size()
		case strings.HasSuffix(word, "imum"):
			m[word] = number()
		case depth > 2:
		case word == "items":
			m["items"] = drawSchema(rt, depth+1)
		case word == "properties":
			m["properties"] = map[string]any{"a": drawSchema(rt, depth+1), "é": drawSchema(rt, depth+1)}
			m["required"] = []any{"a"}
		case word == "additionalProperties":
			m[word] = rapid.SampledFrom([]any{true, false, map[string]any{"type": "integer"}}).Draw(rt, "additional")
		}
	}
	for _, pair := range [][2]string{{"minLength", "maxLength"}, {"minItems", "maxItems"}} {
		if m[pair[0]] != nil {
			delete(m, pair[1]) // crossed sizes are refused
		}
	}
	return m
}

// beyondFloat reports whether a value has a number that shares its float with another
// number, or a negative zero.
func beyondFloat(v any) bool {
	switch v := v.(type) {
	case json.Number:
		f, err := v.Float64()
		return err != nil || len(v) > 15 || f == 0 && v != "0"
	case []any:
		return slices.ContainsFunc(v, beyondFloat)
	case map[string]any:
		for _, item := range v {
			if beyondFloat(item) {
				return true
			}
		}
	}
	return false
}
