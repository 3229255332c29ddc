package apidoc

import (
	"strings"
)

// Media types of bodies that are written field by field.
const (
	Multipart = "multipart/form-data"
	Form      = "application/x-www-form-urlencoded"
)

// rank orders the media types of a body: the first one is used.
func rank(media string) int {
	switch media = mediaType(media); {
	case media == "application/json":
		return 0
	case IsJSON(media), media == "*/*", media == "application/*":
		return 1
	case media == Multipart:
		return 2
	case media == Form:
		return 3
	case IsText(media):
		return 4
	}
	return 5
}

// body reads the body of an operation.
func (r *reader) body(op *Operation, n *node) error {
	n, err := r.resolved(n)
	if n == nil || err != nil {
		return err
	}
	var content *node
	media := ""
	members(field(n, "content"), func(name string, c *node) bool {
		if content == nil || rank(name) < rank(media) {
			media, content = name, c
		}
		return true
	})
	if content == nil {
		return nil
	}
	m := r.maker()
	b := &Body{MediaType: media, Description: m.note(n), Required: truth(field(n, "required"))}
	if media = mediaType(media); strings.Contains(media, "*") {
		b.MediaType = "application/json"
	}
	schema := field(content, "schema")
	if schema != nil {
		b.Schema = m.schema(schema, 0)
	}
	if media == Multipart || media == Form {
		m.form(b, content, schema)
	}
	if op.Body = b; m.err != nil {
		return m.err
	}
	return nil
}

// form reads the encodings of the fields of a form, and which of them are files.
func (m *maker) form(b *Body, content, schema *node) {
	b.Fields, b.Files = map[string]Encoding{}, map[string]bool{}
	members(field(content, "encoding"), func(name string, e *node) bool {
		b.Fields[name] = encodingOf(e, "form")
		return true
	})
	if mediaType(b.MediaType) != Multipart {
		return
	}
	left := maxPerCall
	m.files(b, schema, 0, &left)
}

// files finds the fields of a form that hold files, in the schema or its parts. Left counts
// the schemas that it may still look at.
func (m *maker) files(b *Body, schema *node, depth int, left *int) {
	schema, err := m.r.resolved(schema)
	if *left--; err != nil || schema == nil || depth > maxInline || *left < 0 {
		return
	}
	members(field(schema, "properties"), func(name string, p *node) bool {
		if *left--; *left < 0 {
			return false
		}
		media := b.Fields[name].ContentType
		b.Files[name] = m.file(p, 0, left) || media != "" && !IsText(media)
		return true
	})
	for _, word := range []string{"allOf", "anyOf", "oneOf"} {
		for _, part := range items(field(schema, word)) {
			m.files(b, part, depth+1, left)
		}
	}
}

// file reports whether a value of a schema, or an item of a list, may be a file.
func (m *maker) file(n *node, depth int, left *int) bool {
	n, err := m.r.resolved(n)
	if *left--; err != nil || n == nil || depth > maxInline || *left < 0 {
		return false
	}
	if isFile(n) || m.file(field(n, "items"), depth+1, left) {
		return true
	}
	for _, word := range []string{"allOf", "anyOf", "oneOf"} {
		for _, part := range items(field(n, word)) {
			if m.file(part, depth+1, left) {
				return true
			}
		}
	}
	return false
}

// isFile reports whether a schema describes the bytes of a file.
func isFile(n *node) bool {
	if text(field(n, "format")) == "binary" {
		return true
	}
	media := text(field(n, "contentMediaType"))
	return media != "" && !IsText(media) && field(n, "contentEncoding") == nil
}
