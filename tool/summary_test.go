package tool

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestParameterSummary(t *testing.T) {
	for schema, want := range map[string]string{
		`{"properties":{"items":{"type":"array"},"order":{"type":"string","enum":["asc","desc"]},"n":{"type":["integer","null"]}},"required":["items"]}`: `parameters: items (array, required), order (asc|desc), n ("integer","null")`,
		`{"properties":{"list":{"type":"array","items":{"type":"string"}},"any":{},"level":{"enum":[1,null]}}}`:                                          `parameters: list (array of string), any (any), level (1|null)`,
		`{"type":"object"}`: "it takes no parameters",
	} {
		if got := ParameterSummary(json.RawMessage(schema)); got != want {
			t.Errorf("ParameterSummary(%s) = %s, want %s", schema, got, want)
		}
	}
}

// TestParameterSummaryIsShort: the list is cut between parameters.
func TestParameterSummaryIsShort(t *testing.T) {
	var all []string
	for i := range 80 {
		all = append(all, fmt.Sprintf(`"parameter_%d":{"type":"string"}`, i))
	}
	got := ParameterSummary(json.RawMessage(`{"properties":{` + strings.Join(all, ",") + `}}`))
	if len(got) > 600 || !strings.HasSuffix(got, "(string), …") {
		t.Errorf("%d bytes: %s", len(got), got)
	}
	values := ParameterSummary(json.RawMessage(`{"properties":{"a":{"enum":["` + strings.Repeat("é", 400) + `"]}}}`))
	if len(values) > 150 || !strings.HasSuffix(values, "é…)") {
		t.Errorf("a long enum: %s", values)
	}
}
