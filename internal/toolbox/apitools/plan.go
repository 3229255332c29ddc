package apitools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/toolbox/apidoc"
	"github.com/helve-dev/helve/internal/toolbox/foreign"
)

// plan maps the arguments of a tool to the parts of a request.
type plan struct {
	parameters []argument
	// fields are those of the body that have an argument of their own, rest the argument
	// with an object of the other fields, whole the argument with the whole body. Rest and
	// whole are empty if there is no such argument.
	fields      []argument
	rest, whole string

	schema  json.RawMessage
	aliases map[string]string // the name in the API, if it is not that of the argument
}

// argument is an argument of the tool and its place in the request.
type argument struct {
	name      string
	parameter *apidoc.Parameter // nil for a field of the body
	field     string
}

// planner collects the arguments of one operation.
type planner struct {
	plan
	properties map[string]any
	required   []string
}

// plan makes the arguments of an operation: parameters first, then the fields of the body
// whose names are free.
func (a *API) plan(doc *apidoc.Document, op *apidoc.Operation) (*plan, error) {
	p := &planner{properties: map[string]any{}, plan: plan{aliases: map[string]string{}}}
	for _, in := range []string{apidoc.InPath, apidoc.InQuery, apidoc.InHeader, apidoc.InCookie} {
		for _, parameter := range op.Parameters {
			if parameter.In == in && !a.credential(doc, parameter) {
				p.parameter(parameter)
			}
		}
	}
	if op.Body != nil {
		p.body(op.Body)
	}
	for alias := range p.aliases {
		if p.properties[alias] != nil {
			delete(p.aliases, alias)
		}
	}
	object := map[string]any{"type": "object", "properties": p.properties}
	if len(p.required) > 0 {
		slices.Sort(p.required)
		object["required"] = p.required
	}
	var err error
	p.schema, err = within(object, maxParameters)
	return &p.plan, err
}

// encoded returns the JSON of a value, in the same order each time.
func encoded(v any) (json.RawMessage, error) {
	var w bytes.Buffer
	enc := json.NewEncoder(&w)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(w.Bytes(), []byte("\n")), err
}

// credential reports whether a parameter carries a key: nobody passes one as an argument.
func (a *API) credential(doc *apidoc.Document, p *apidoc.Parameter) bool {
	for _, s := range doc.Schemes {
		if s.Type == apidoc.APIKey && s.In == p.In && (s.Name == p.Name || s.In == apidoc.InHeader && strings.EqualFold(s.Name, p.Name)) {
			return true
		}
	}
	return false
}

// free returns a name that no argument has: the wanted one, or one made from it.
func (p *planner) free(name, otherwise string) string {
	for p.properties[name] != nil {
		name, otherwise = otherwise, otherwise+"_"
	}
	return name
}

// add adds an argument. Wanted is its name in the API.
func (p *planner) add(name, wanted string, s map[string]any, required bool) {
	if name != wanted {
		s = described(s, fmt.Sprintf("Sent as %s.", wanted))
		p.aliases[wanted] = name
	}
	p.properties[name] = s
	if required {
		p.required = append(p.required, name)
	}
}

func (p *planner) parameter(parameter *apidoc.Parameter) {
	fit := fitting(parameter.Name)
	name := p.free(fit, parameter.In+"_"+fit)
	s := parameter.Schema
	if parameter.Description != "" {
		s = maps.Clone(s)
		s["description"] = withDefault(parameter.Description, s)
	}
	p.add(name, parameter.Name, s, parameter.Required)
	p.parameters = append(p.parameters, argument{name: name, parameter: parameter})
}

// withDefault keeps the default that the description of a schema names.
func withDefault(text string, s map[string]any) string {
	note, _ := s["description"].(string)
	if i := strings.LastIndex(note, " Default: "); i >= 0 && !strings.Contains(text, note[i+1:]) {
		return text + note[i:]
	}
	return text
}

// described returns a schema with a sentence more in its description.
func described(s map[string]any, sentence string) map[string]any {
	s = maps.Clone(s)
	note, _ := s["description"].(string)
	s["description"] = strings.TrimSpace(note + " " + sentence)
	return s
}

// fitting returns a name that model providers accept as that of a parameter.
func fitting(name string) string {
	const longest = 64
	fit := strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '.', r == '-':
			return r
		}
		return '_'
	}, name), "_")
	switch {
	case fit == strings.Trim(name, "_") && fit != "" && len(name) <= longest:
		return name
	case fit == "" || len(fit) > longest:
		return hashed(fit+"_", name)
	}
	return fit
}

// body adds the arguments for a body: one for each field that has a free name, one for the
// other fields; or a single one if the body is no object.
func (p *planner) body(b *apidoc.Body) {
	fields, required, open, ok := flatten(b.Schema)
	if !ok || !isFielded(b.MediaType) {
		s := p.wholeBody(b)
		p.whole = p.free("body", "request_body")
		p.add(p.whole, p.whole, s, b.Required)
		return
	}
	taken := map[string]any{}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		s := fields[field]
		if b.Files[field] {
			s = file(s)
		}
		fit := fitting(field)
		if p.properties[fit] != nil {
			taken[field] = s
			continue
		}
		p.add(fit, field, s, b.Required && slices.Contains(required, field))
		p.fields = append(p.fields, argument{name: fit, field: field})
	}
	if len(taken) == 0 && !open {
		return
	}
	rest := map[string]any{
		"type": "object", "description": "Further fields of the request body, beside those that are parameters of their own.",
	}
	var needed []any
	for field := range taken {
		if slices.Contains(required, field) {
			needed = append(needed, field)
		}
	}
	if len(taken) > 0 {
		rest["properties"] = taken
	}
	if len(needed) > 0 && b.Required {
		slices.SortFunc(needed, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		rest["required"] = needed
	}
	p.rest = p.free("body", "request_body")
	p.add(p.rest, p.rest, rest, len(needed) > 0 && b.Required)
}

// wholeBody returns the schema of an argument that is the whole body.
func (p *planner) wholeBody(b *apidoc.Body) map[string]any {
	s := maps.Clone(b.Schema)
	switch {
	case s == nil:
		s = map[string]any{}
	case !isFielded(b.MediaType):
		s = map[string]any{"type": "string"}
		if note, ok := b.Schema["description"]; ok {
			s["description"] = note
		}
	}
	if s["description"] == nil && b.Description != "" {
		s["description"] = b.Description
	}
	switch {
	case apidoc.IsJSON(b.MediaType), isFielded(b.MediaType):
		return described(s, "The request body.")
	case apidoc.IsText(b.MediaType):
		s["type"] = "string"
		return described(s, fmt.Sprintf("The request body, as text (%s).", foreign.Text(b.MediaType, maxShownName)))
	}
	return file(s)
}

// file returns the schema of an argument that names a file.
func file(s map[string]any) map[string]any {
	one := map[string]any{"type": "string", "minLength": json.Number("1")}
	note, _ := s["description"].(string)
	one["description"] = strings.TrimSpace(note + " A path in the workspace; its contents are sent.")
	list := map[string]any{
		"type": "array", "items": map[string]any{"type": "string", "minLength": json.Number("1")}, "description": one["description"],
	}
	if s["type"] == "array" {
		return list
	}
	parts, _ := s["anyOf"].([]any)
	if slices.ContainsFunc(parts, func(part any) bool { p, _ := part.(map[string]any); return p["type"] == "array" }) {
		list["type"], list["minLength"] = []any{"string", "array"}, one["minLength"]
		return list
	}
	return one
}

// isFielded reports whether a body of a media type is written field by field.
func isFielded(media string) bool {
	return apidoc.IsJSON(media) || media == apidoc.Multipart || media == apidoc.Form
}
