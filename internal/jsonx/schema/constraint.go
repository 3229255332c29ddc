package schema

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/xeipuuv/gojsonschema"
)

// maxChoices bounds how many allowed values of an enum a message lists.
const maxChoices = 50

// constraint returns a phrase for the broken rule, without repeating the value.
func constraint(e gojsonschema.ResultError) string {
	d := e.Details()
	switch e.Type() {
	case "invalid_type": // JSON has no integers: the given value is a number
		return "expected " + typeList(d["expected"]) + ", got " + strings.Replace(fmt.Sprint(d["given"]), "integer", "number", 1)
	case "enum":
		return "must be one of: " + choices(d["allowed"])
	case "const":
		return "must be " + choices(d["allowed"])
	case "number_gte":
		return "must be at least " + limit(d["min"])
	case "number_gt":
		return "must be greater than " + limit(d["min"])
	case "number_lte":
		return "must be at most " + limit(d["max"])
	case "number_lt":
		return "must be less than " + limit(d["max"])
	case "multiple_of":
		return "must be a multiple of " + limit(d["multiple"])
	case "string_gte":
		return "must have at least " + plural(d["min"], "character")
	case "string_lte":
		return "must have at most " + plural(d["max"], "character")
	case "pattern":
		return "must match the pattern " + clip(fmt.Sprint(d["pattern"]))
	case "format":
		return "must be a valid " + clip(fmt.Sprint(d["format"]))
	case "array_min_items":
		return "must have at least " + plural(d["min"], "item")
	case "array_max_items":
		return "must have at most " + plural(d["max"], "item")
	case "array_no_additional_items":
		return "has too many items"
	case "unique":
		return fmt.Sprintf("items must differ, but %v and %v are equal", d["i"], d["j"])
	case "contains":
		return "none of the items is of the required kind"
	case "array_min_properties":
		return "must have at least " + plural(d["min"], "property")
	case "array_max_properties":
		return "must have at most " + plural(d["max"], "property")
	}
	return combination(e)
}

// combination returns the phrase for the other rules: names, and schemas made of schemas.
func combination(e gojsonschema.ResultError) string {
	name, _ := e.Details()["property"].(string)
	switch e.Type() {
	case "additional_property_not_allowed":
		return "unknown property '" + clip(name) + "'"
	case "invalid_property_name":
		return "the property name '" + clip(name) + "' is not allowed"
	case "number_any_of":
		return "must match at least one of the allowed forms"
	case "number_one_of":
		return "must match exactly one of the allowed forms"
	case "number_all_of":
		return "must match all of the required forms"
	case "number_not":
		return "has a form that is excluded"
	case "condition_then", "condition_else":
		return "does not fit together with the other values"
	case "false":
		return "is not allowed here"
	}
	return clip(e.Description())
}

// typeList turns "[string,null]" into "string or null".
func typeList(v any) string {
	names := strings.Split(strings.Trim(fmt.Sprint(v), "[]"), ",")
	return strings.Join(names, " or ")
}

// choices returns the allowed values, which the library passes as JSON.
func choices(v any) string {
	decoded, err := decode([]byte("[" + fmt.Sprint(v) + "]"))
	list, _ := decoded.([]any)
	if err != nil || len(list) == 0 {
		return clip(fmt.Sprint(v))
	}
	texts := make([]string, 0, min(len(list), maxChoices))
	for _, item := range list[:min(len(list), maxChoices)] {
		text, isString := item.(string)
		if !isString || text == "" {
			text = string(encode(item))
		}
		texts = append(texts, clip(text))
	}
	shown := strings.Join(texts, ", ")
	if n := len(list) - len(texts); n > 0 {
		shown += fmt.Sprintf(" and %d more", n)
	}
	return shown
}

// limit returns a bound with the digits it has in the schema.
func limit(v any) string {
	f, ok := v.(*big.Float)
	switch {
	case !ok:
		return clip(fmt.Sprint(v))
	case f.IsInt() && f.MantExp(nil) < 64:
		return f.Text('f', 0)
	}
	return f.Text('g', -1)
}

// plural returns "1 item", "2 items", "2 properties".
func plural(n any, noun string) string {
	text := fmt.Sprint(n)
	switch {
	case text == "1":
		return "1 " + noun
	case strings.HasSuffix(noun, "y"):
		return text + " " + strings.TrimSuffix(noun, "y") + "ies"
	}
	return text + " " + noun + "s"
}
