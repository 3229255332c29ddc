package provider

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// What providers refuse, with where they say so. Much of it is in no reference and
// is known from the answers of the APIs, as quoted in the issues named.
var (
	// "Must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length
	// of 64": shared.FunctionDefinitionParam of openai-go.
	openaiName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	// "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'".
	anthropicTool = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)
	// "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'", and in
	// platform.claude.com's page on self-hosted sandboxes.
	anthropicKey = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)
	// "Must start with a letter or an underscore … with a maximum length of 64" in the
	// references of both APIs; parameters as in genai.FunctionDeclaration.
	geminiTool = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$`)
	geminiKey  = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]{0,63}$`)
	// "SHOULD be between 1 and 128 characters … A-Z, a-z, 0-9, underscore, hyphen and
	// dot": the Model Context Protocol, server/tools.
	mcpName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)
)

// broken is which restrictions of the format a list of definitions breaks.
func broken(f Format, text []byte) []string {
	var list []map[string]any
	if err := json.Unmarshal(text, &list); err != nil {
		return []string{err.Error()}
	}
	c := checker{}
	if f == Gemini {
		declarations, _ := list[0]["functionDeclarations"].([]any)
		c.must(len(list) == 1 && len(declarations) > 0, "one tool with functionDeclarations")
		list = nil
		for _, d := range declarations {
			list = append(list, d.(map[string]any))
		}
	}
	for _, def := range list {
		c.where = fmt.Sprint(f, ": ")
		switch f {
		case OpenAI:
			c.openai(def["function"].(map[string]any))
		case Responses:
			c.openai(def)
			c.must(def["strict"] == false, "strict must be false")
		case Anthropic:
			c.must(anthropicTool.MatchString(def["name"].(string)), "the name")
			c.root(def["input_schema"], anthropicKey)
		case Gemini:
			c.must(geminiTool.MatchString(def["name"].(string)), "the name")
			if parameters, there := def["parameters"]; there {
				c.must(parameters.(map[string]any)["properties"] != nil, "an object of no properties")
				c.gemini(parameters)
			}
		case MCP:
			c.must(mcpName.MatchString(def["name"].(string)), "the name")
		}
	}
	return c.problems
}

type checker struct {
	where    string
	problems []string
}

func (c *checker) must(ok bool, what string) {
	if !ok && len(c.problems) < 10 {
		c.problems = append(c.problems, c.where+what)
	}
}

// openai checks: "Expected a string with maximum length 1024" (getsentry/sentry-mcp#106).
func (c *checker) openai(def map[string]any) {
	c.must(openaiName.MatchString(def["name"].(string)), "the name")
	c.must(utf8.RuneCountInString(def["description"].(string)) <= 1024, "a description of more than 1024 characters")
	c.root(def["parameters"], regexp.MustCompile(""))
}

// root checks: "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not'
// at the top level" (langchain-ai/langchainjs#9804), "object schema missing properties";
// "input_schema does not support oneOf, allOf, or anyOf at the top level"
// (anthropics/claude-code#40075).
func (c *checker) root(schema any, key *regexp.Regexp) {
	m, _ := schema.(map[string]any)
	properties, ok := m["properties"].(map[string]any)
	c.must(m["type"] == "object" && ok, "the root is no object with properties")
	_, ok = m["description"].(string)
	c.must(ok || m["description"] == nil, "a description that is no text")
	for _, word := range []string{"oneOf", "anyOf", "allOf", "enum", "not"} {
		c.must(m[word] == nil, word+" at the top level")
	}
	for name := range properties {
		c.must(key.MatchString(name), "the parameter "+name)
	}
	c.jsonSchema(m)
}

// jsonSchema checks: "array schema missing items" (OpenAI), and in draft 2020-12 items is one
// schema ("must match JSON Schema draft 2020-12", Anthropic).
func (c *checker) jsonSchema(schema any) {
	m, ok := schema.(map[string]any)
	if !ok {
		return
	}
	array := m["type"] == "array"
	if types, ok := m["type"].([]any); ok {
		array = slices.Contains(types, any("array"))
	}
	c.must(!array || m["items"] != nil || hasNull(m, "items"), "an array without items")
	_, list := m["items"].([]any)
	c.must(!list, "a list of items")
	ref, isRef := m["$ref"].(string)
	c.must(!isRef || strings.HasPrefix(ref, "#"), "a reference out of the document")
	for _, word := range []string{
		"items", "additionalProperties", "additionalItems", "contains", "propertyNames", "not", "if", "then", "else",
	} {
		c.jsonSchema(m[word])
	}
	for _, word := range []string{"properties", "patternProperties", "$defs", "definitions", "dependencies"} {
		kids, _ := m[word].(map[string]any)
		for _, kid := range kids {
			c.jsonSchema(kid)
		}
	}
	for _, word := range []string{"allOf", "anyOf", "oneOf"} {
		kids, _ := m[word].([]any)
		for _, kid := range kids {
			c.jsonSchema(kid)
		}
	}
}

func hasNull(m map[string]any, name string) bool {
	value, there := m[name]
	return there && value == nil
}

// geminiFields are those of genai.Schema that are written, with their kinds in JSON.
var geminiFields = map[string]string{
	"type": "string", "title": "string", "description": "string", "format": "string", "pattern": "string",
	"nullable": "bool", "default": "", "enum": "[]interface {}", "anyOf": "[]interface {}", "required": "[]interface {}",
	"items": "map[string]interface {}", "properties": "map[string]interface {}",
	"minItems": "float64", "maxItems": "float64", "minLength": "float64", "maxLength": "float64", "minimum": "float64", "maximum": "float64",
}

// gemini checks: every field is one of Schema's; a type everywhere ("didn't specify the schema
// type field") but beside anyOf ("When using any_of, it must be the only field set");
// "enum: only allowed for STRING type", "enum[0]: cannot be empty"; "only 'enum' and
// 'date-time' are supported for STRING type" (google-gemini/gemini-cli#3178);
// "items: missing field"; required names properties ("property is not defined",
// Kilo-Org/kilocode#11955). An object of no properties is fine below the root
// (vercel/ai#11319).
func (c *checker) gemini(schema any) {
	m, ok := schema.(map[string]any)
	c.must(ok, "a schema that is no object")
	for name, value := range m {
		want, known := geminiFields[name]
		c.must(known && (want == "" || fmt.Sprintf("%T", value) == want), fmt.Sprintf("the field %s: %v", name, value))
	}
	if branches, ok := m["anyOf"].([]any); ok {
		c.must(len(m) == 1 && len(branches) > 1, "something beside anyOf")
		for _, branch := range branches {
			c.gemini(branch)
		}
		return
	}
	typ, _ := m["type"].(string)
	formats, known := map[string][]string{
		"STRING": {"date-time"}, "INTEGER": {"int32", "int64"}, "NUMBER": {"float", "double"}, "BOOLEAN": {}, "ARRAY": {}, "OBJECT": {},
	}[typ]
	c.must(known, "the type "+typ)
	format, given := m["format"].(string)
	c.must(!given || slices.Contains(formats, format), "the format "+format)
	c.must((m["items"] != nil) == (typ == "ARRAY"), "items of "+typ)
	c.must(m["properties"] == nil || typ == "OBJECT", "properties of "+typ)
	c.must(m["enum"] == nil || typ == "STRING", "an enum of "+typ)
	values, _ := m["enum"].([]any)
	for _, value := range values {
		text, ok := value.(string)
		c.must(ok && text != "", fmt.Sprintf("the value %q of an enum", value))
	}
	if items, ok := m["items"]; ok {
		c.gemini(items)
	}
	properties, _ := m["properties"].(map[string]any)
	for name, property := range properties {
		c.must(geminiKey.MatchString(name), "the parameter "+name)
		c.gemini(property)
	}
	required, _ := m["required"].([]any)
	for _, name := range required {
		c.must(properties[name.(string)] != nil, fmt.Sprintf("required is %q, which is no property", name))
	}
}

// TestCatalogueKeepsRestrictions: no built-in tool makes a provider refuse a request.
func TestCatalogueKeepsRestrictions(t *testing.T) {
	defs := catalogue()
	if len(defs) < 100 {
		t.Fatalf("the catalogue has %d tools", len(defs))
	}
	for _, f := range Formats() {
		text, err := f.Tools(defs)
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		for _, problem := range broken(f, text) {
			t.Error(problem)
		}
	}
}

// TestBroken: the check finds what it is for.
func TestBroken(t *testing.T) {
	openai := func(name, description, parameters string) string {
		return fmt.Sprintf(`[{"type":"function","function":{"name":%q,"description":%q,"parameters":%s}}]`, name, description, parameters)
	}
	gemini := func(parameters string) string {
		return `[{"functionDeclarations":[{"name":"t","parameters":` + parameters + `}]}]`
	}
	property := func(schema string) string {
		return `{"type":"OBJECT","properties":{"a":` + schema + `}}`
	}
	for _, tt := range []struct {
		f    Format
		text string
		want string // none for nothing
	}{
		{OpenAI, openai("t", "", noParameters), ""},
		{OpenAI, openai("a.b", "", noParameters), "the name"},
		{OpenAI, openai("t", strings.Repeat("é", 1025), noParameters), "1024"},
		{OpenAI, openai("t", "", `{"type":"object"}`), "no object with properties"},
		{OpenAI, openai("t", "", `{"type":"object","properties":{},"oneOf":[{}]}`), "oneOf at the top"},
		{OpenAI, openai("t", "", `{"type":"object","properties":{"a":{"anyOf":[{"type":["array","null"]}]}}}`), "without items"},
		{OpenAI, openai("t", "", `{"type":"object","properties":{"a":{"items":[{}]}}}`), "a list of items"},
		{OpenAI, openai("t", "", `{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}`), "out of the document"},
		{Responses, `[{"name":"t","description":"","parameters":` + noParameters + `}]`, "strict"},
		{Anthropic, `[{"name":"t","input_schema":{"type":"object","properties":{"a b":{}}}}]`, "the parameter a b"},
		{Gemini, gemini(property(`{"type":"STRING","enum":["x"]}`)), ""},
		{Gemini, gemini(`{"type":"OBJECT"}`), "no properties"},
		{Gemini, gemini(property(`{"type":"string"}`)), "the type string"},
		{Gemini, gemini(property(`{}`)), "the type "},
		{Gemini, gemini(property(`{"type":"ARRAY"}`)), "items of ARRAY"},
		{Gemini, gemini(property(`{"type":"INTEGER","enum":["1"]}`)), "an enum of INTEGER"},
		{Gemini, gemini(property(`{"type":"STRING","enum":[""]}`)), "of an enum"},
		{Gemini, gemini(property(`{"type":"STRING","format":"uri"}`)), "the format uri"},
		{Gemini, gemini(property(`{"type":"STRING","const":"x"}`)), "the field const"},
		{Gemini, gemini(property(`{"type":"STRING","anyOf":[{"type":"STRING"},{"type":"NUMBER"}]}`)), "beside anyOf"},
		{Gemini, gemini(`{"type":"OBJECT","properties":{"a":{"type":"STRING"}},"required":["b"]}`), "no property"},
		{MCP, `[{"name":"a b"}]`, "the name"},
	} {
		got := strings.Join(broken(tt.f, []byte(tt.text)), "\n")
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("broken(%s, %s) = %q, want %q", tt.f, tt.text, got, tt.want)
		}
	}
}
