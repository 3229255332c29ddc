package foreign

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"regexp/syntax"
	"strconv"
	"strings"
)

// annotation are the keywords without effect that a translated schema may have.
var annotation = map[string]bool{
	"title": true, "description": true, "default": true, "examples": true, "readOnly": true, "writeOnly": true,
	"contentEncoding": true, "contentMediaType": true, "$defs": true, "definitions": true,
}

// annotations keeps the texts and examples that models are shown.
func (s *member) annotations() {
	for _, word := range []string{"title", "description", "contentEncoding", "contentMediaType"} {
		if text, ok := s.in[word].(string); ok && (word == "title" || word == "description" || !Hidden(text)) {
			s.out[word] = text
		}
	}
	if s.out["description"] == nil {
		if text, ok := s.in["markdownDescription"].(string); ok {
			s.out["description"] = text
		}
	}
	if s.in["deprecated"] == true {
		s.describe("Deprecated.")
	}
	if v := s.in["default"]; v != nil && legible(v) {
		s.out["default"] = v
	}
	if list, ok := s.in["examples"].([]any); ok && legible(list) {
		s.out["examples"] = list
	} else if v := s.in["example"]; v != nil && legible(v) {
		s.out["examples"] = []any{v}
	}
	if s.in["readOnly"] == true {
		s.out["readOnly"] = true
	}
	if v := s.in["writeOnly"]; v != nil && v != false {
		s.out["writeOnly"] = true // it marks secrets, whatever a server writes in place of true
	}
}

// describe adds a sentence to the description.
func (s *member) describe(text string) {
	was, _ := s.out["description"].(string)
	s.out["description"] = strings.TrimSpace(was + " " + text)
}

// legible reports whether a value has no character that people cannot see.
func legible(v any) bool {
	_, err := tidy(v, "", maxNote, maxDeep)
	return err == nil
}

// leaf translates a keyword that holds no schema, and reports whether it is one.
func (s *member) leaf(word string, v any) bool {
	switch word {
	case "type":
		s.types(v)
	case "enum":
		s.enum(v)
	case "const":
		s.out[word] = v
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		s.bound(word, v)
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		s.size(word, v)
	case "uniqueItems":
		if v == true {
			s.out[word] = true
		}
	case "required":
		s.required(v)
	case "pattern":
		text, ok := v.(string)
		expression, why := s.expression(text)
		if why != "" || !ok {
			s.drop(word, cmp.Or(why, "it is no text"))
			if len(text) <= maxName && !Hidden(text) {
				s.describe("Pattern: " + text)
			}
			break
		}
		s.out[word] = expression
	case "format":
		// A value of the format regex is of the server's dialect.
		if name, ok := v.(string); ok && len(name) <= maxName && !Hidden(name) && name != "regex" {
			s.out[word] = name
		}
	default:
		return false
	}
	return true
}

var types = map[string]bool{
	"object": true, "array": true, "string": true, "number": true, "integer": true, "boolean": true, "null": true,
}

// types keeps a type, or a list of types. Any is no rule.
func (s *member) types(v any) {
	list, many := v.([]any)
	if !many {
		list = []any{v}
	}
	for _, item := range list {
		name, _ := item.(string)
		if name == "any" {
			return
		}
		if !types[name] {
			s.drop("type", fmt.Sprintf("%.40q is no type", fmt.Sprint(item)))
			return
		}
	}
	switch list = different(list); len(list) {
	case 0:
		s.drop("type", "it names none")
	case 1:
		s.out["type"] = list[0]
	default:
		s.out["type"] = list
	}
}

func (s *member) enum(v any) {
	list, ok := v.([]any)
	if list = different(list); !ok || len(list) == 0 || len(list) > maxMembers {
		s.drop("enum", "it is no list of values, or too long")
		return
	}
	s.out["enum"] = list
}

// bound keeps a bound of numbers. In draft-04 the exclusive ones are marks of the others.
func (s *member) bound(word string, v any) {
	plain := map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}[word]
	if on, marks := v.(bool); marks && plain != "" {
		if limit, ok := number(s.in[plain]); on && ok {
			s.out[word] = limit
		}
		return
	}
	n, ok := number(v)
	if !ok || word == "multipleOf" && n <= 0 {
		s.drop(word, "it is no such number")
		return
	}
	s.out[word] = v
}

// size keeps a bound of a length or a count.
func (s *member) size(word string, v any) {
	n, ok := number(v)
	switch {
	case ok && n > math.MaxInt32 && strings.HasPrefix(word, "max"): // nothing is as large
	case !ok || n < 0 || n != math.Trunc(n) || n > math.MaxInt32:
		s.drop(word, "it is no whole number from 0")
	default:
		s.out[word] = n
	}
}

func (s *member) required(v any) {
	list, ok := v.([]any)
	if names := namesIn(list); len(names) > 0 {
		s.out["required"] = names
	}
	if !ok || len(list) > maxMembers {
		s.drop("required", "it is no list of names, or too long")
	}
}

// namesIn returns the different texts of a list.
func namesIn(list []any) []any {
	names := []any{}
	for _, item := range list[:min(len(list), maxMembers)] {
		if name, ok := item.(string); ok && len(name) <= maxName {
			names = append(names, name)
		}
	}
	return different(names)
}

// different returns a list without repetitions. Numbers that JSON Schema takes as equal are
// one value.
func different(list []any) []any {
	kept := make([]any, 0, len(list))
	seen := map[string]bool{}
	for _, item := range list {
		key := fmt.Sprintf("%T", item)
		if n, ok := number(item); ok {
			key = strconv.FormatFloat(n+0, 'g', -1, 64)
		} else if text, err := json.Marshal(item); err == nil {
			key = string(text)
		}
		if !seen[key] {
			seen[key] = true
			kept = append(kept, item)
		}
	}
	return kept
}

// number returns a number of a decoded document.
func number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case json.Number:
		n, err := v.Float64()
		return n, err == nil
	}
	return 0, false
}

// expression translates a regular expression, or returns why it is not checked.
func (s *member) expression(text string) (_, why string) {
	const longest = 1000
	if len(text) > longest {
		return "", "the expression is too long"
	}
	portable, ok := portablePattern(text)
	tree, err := syntax.Parse(portable, syntax.Perl)
	if !ok || err != nil {
		return "", "the expression is of a dialect that is not checked here"
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil || len(prog.Inst) > s.insts {
		return "", "the expressions are too large together"
	}
	s.insts -= len(prog.Inst)
	return portable, ""
}
