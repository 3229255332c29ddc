package tsdecl

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/lib/jsonwalk"
)

const (
	// mostText bounds the text of one schema in bytes, about, and deepest the nesting of its
	// types: references make a large type of a small schema.
	mostText = 24 << 10
	deepest  = 12
	// perType is the least that a type costs of mostText, and perBytes the bytes of its schema
	// that cost one more: combinations of empty schemas write nothing, but take time.
	perType, perBytes = 16, 1024
)

const (
	unknown   = "unknown"
	anyObject = "{ [key: string]: unknown }"
)

// printer writes the type of one schema.
type printer struct {
	root jsontext.Value // which references refer to
	left int            // of mostText
	open []string       // the references that are being followed
}

func printerOf(schema []byte) *printer { return &printer{root: valid(schema), left: mostText} }

// parameter returns the parameter of a function, which may be left out if nothing is
// required.
func (p *printer) parameter(indent string) string {
	t := p.typeOf(p.root, indent, 0)
	if t == unknown {
		t = anyObject
	}
	k := keywordsOf(p.root)
	if len(k.list("required")) > 0 || k.has("anyOf", "oneOf", "allOf", "$ref") {
		return "args: " + t
	}
	return "args?: " + t
}

// result returns the type of a result.
func (p *printer) result(indent string) string { return p.typeOf(p.root, indent, 0) }

// typeOf returns the type of a schema: the intersection of everything that it says.
func (p *printer) typeOf(schema jsontext.Value, indent string, depth int) string {
	p.left -= perType + len(schema)/perBytes
	switch {
	case string(schema) == "false":
		return "never"
	case schema.Kind() != '{' || depth > deepest || p.left <= 0:
		return unknown
	}
	k := keywordsOf(schema)
	if k.has("$ref") {
		return p.referred(k.text("$ref"), indent, depth)
	}
	parts := p.all(k.list("allOf"), indent, depth)
	for _, either := range []string{"anyOf", "oneOf"} {
		if list := k.list(either); len(list) > 0 {
			parts = append(parts, union(p.all(list, indent, depth)))
		}
	}
	parts = slices.DeleteFunc(parts, func(t string) bool { return t == unknown })
	own := p.own(k, indent, depth)
	if own != unknown && (own != anyObject || len(parts) == 0) {
		parts = slices.Insert(parts, 0, own)
	}
	t := intersection(parts)
	if string(k["nullable"]) == "true" { // of OpenAPI 3.0
		t = union([]string{t, "null"})
	}
	return t
}

// all returns the types of schemas.
func (p *printer) all(schemas []jsontext.Value, indent string, depth int) (types []string) {
	for _, schema := range schemas {
		types = append(types, p.typeOf(schema, indent, depth+1))
	}
	return types
}

// referred returns the type that a reference within the schema leads to; a type within
// itself is unknown.
func (p *printer) referred(ref, indent string, depth int) string {
	path, local := strings.CutPrefix(ref, "#")
	if !local || slices.Contains(p.open, ref) {
		return unknown
	}
	at := p.root
	if path != "" {
		for name := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
			p.left -= len(at) / perBytes
			at = keywordsOf(at)[unescape.Replace(name)]
		}
	}
	p.open = append(p.open, ref)
	defer func() { p.open = p.open[:len(p.open)-1] }()
	return p.typeOf(at, indent, depth+1)
}

// unescape decodes a part of a JSON pointer.
var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// own returns the type that a schema says by itself, without the schemas that it combines.
func (p *printer) own(k keywords, indent string, depth int) string {
	switch {
	case k.has("const"):
		return p.literals([]jsontext.Value{k["const"]})
	case len(k.list("enum")) > 0:
		return p.literals(k.list("enum"))
	}
	kinds := k.texts("type")
	if len(kinds) == 0 {
		kinds = []string{k.text("type")}
	}
	var types []string
	for _, kind := range kinds {
		types = append(types, p.kind(kind, k, indent, depth))
	}
	return union(types)
}

// kind returns the type of a schema for one of its kinds; without a kind that which its
// keywords are about.
func (p *printer) kind(kind string, k keywords, indent string, depth int) string {
	switch {
	case kind == "string" || kind == "boolean" || kind == "null":
		return kind
	case kind == "number" || kind == "integer":
		return "number"
	case kind == "array" || kind == "" && k.has("items", "prefixItems"):
		return p.array(k, indent, depth)
	case kind == "object" || kind == "" && k.has("properties", "required", "additionalProperties", "patternProperties"):
		return p.object(k, indent, depth)
	}
	return unknown
}

// literals returns the union of the values of an enumeration.
func (p *printer) literals(values []jsontext.Value) string {
	var types []string
	for _, v := range values {
		p.left -= len(v)
		switch kind := v.Kind(); {
		case p.left <= 0:
			return unknown
		case kind == '"':
			types = append(types, quoted(jsonwalk.Text(v)))
		case kind == '{' || kind == '[':
			return unknown
		default:
			types = append(types, string(v))
		}
	}
	return union(types)
}

func (p *printer) array(k keywords, indent string, depth int) string {
	first, each := k.list("prefixItems"), k["items"]
	if each.Kind() == '[' { // of older drafts
		first, each = k.list("items"), k["additionalItems"]
	}
	of := unknown
	if each != nil {
		of = p.typeOf(each, indent, depth+1)
	}
	if len(first) == 0 {
		return listOf(of)
	}
	var tuple []string
	for _, t := range p.all(first, indent, depth) {
		tuple = append(tuple, "("+t+")?") // a shorter list is valid too
	}
	if of != "never" {
		tuple = append(tuple, "..."+listOf(of))
	}
	return "[" + strings.Join(tuple, ", ") + "]"
}

// object returns the type of an object: its properties in the order of the schema, and a
// signature for all others if the schema describes them.
func (p *printer) object(k keywords, indent string, depth int) string {
	inner, required, seen := indent+"  ", map[string]bool{}, map[string]bool{}
	for _, name := range k.texts("required") {
		required[name] = true
	}
	var b strings.Builder
	for _, m := range k.members("properties") {
		if p.left <= 0 {
			break
		}
		p.property(&b, inner, m.name, remark(keywordsOf(m.schema)), p.typeOf(m.schema, inner, depth+1), required[m.name])
		seen[m.name] = true
	}
	for _, name := range k.texts("required") {
		if p.left > 0 && !seen[name] { // described elsewhere, or not at all
			p.property(&b, inner, name, "", unknown, true)
			seen[name] = true
		}
	}
	others := p.others(k, inner, depth)
	switch {
	case len(seen) == 0 && others == "":
		return anyObject
	case len(seen) == 0:
		return "{ [key: string]: " + others + " }"
	case p.left <= 0 || others != "" && others != "never":
		b.WriteString(inner + "[key: string]: unknown;\n") // a signature holds for named properties too
	}
	return "{\n" + b.String() + indent + "}"
}

func (p *printer) property(b *strings.Builder, indent, name, remark, t string, required bool) {
	mark := "?: "
	if required {
		mark = ": "
	}
	if remark != "" {
		remark = indent + remark + "\n"
	}
	p.left -= len(remark) + len(indent) + len(name)
	b.WriteString(remark + indent + key(name) + mark + t + ";\n")
}

// others returns the type of the properties that the schema does not name, empty if it does
// not describe them.
func (p *printer) others(k keywords, indent string, depth int) string {
	var types []string
	if more := k["additionalProperties"]; more != nil {
		types = append(types, p.typeOf(more, indent, depth+1))
	}
	for _, m := range k.members("patternProperties") {
		types = append(types, p.typeOf(m.schema, indent, depth+1))
	}
	if len(types) == 0 {
		return ""
	}
	return union(types)
}
