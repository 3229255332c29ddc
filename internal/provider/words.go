package provider

// words are the keywords of a schema that are looked at here, as JSON text, nil for
// what is not there. A schema that is true or false has none.
type words struct {
	ref, typ, title, description, def      []byte
	enum, constant, format, pattern        []byte
	minimum, maximum, minLength, maxLength []byte
	items, minItems, maxItems              []byte
	properties, required, additional       []byte
	allOf, anyOf, oneOf                    []byte
}

func wordsOf(schema []byte) words {
	var w words
	w.read(schema)
	return w
}

func (w *words) read(schema []byte) {
	for name, value := range members(schema) {
		w.take(name, value)
	}
}

// take keeps a member of the schema, if it is looked at.
func (w *words) take(name, value []byte) {
	at := w.word(string(key(name)))
	if at == nil {
		return
	}
	if at == &w.description && kind(value) != '"' {
		value = nil // it goes on as it is
	}
	*at = value
}

// word is where a keyword is kept, nil for one that is not looked at.
func (w *words) word(name string) *[]byte {
	switch name {
	case "$ref":
		return &w.ref
	case "type":
		return &w.typ
	case "title":
		return &w.title
	case "description":
		return &w.description
	case "default":
		return &w.def
	case "enum":
		return &w.enum
	case "const":
		return &w.constant
	case "format":
		return &w.format
	case "pattern":
		return &w.pattern
	case "minimum":
		return &w.minimum
	case "maximum":
		return &w.maximum
	case "minLength":
		return &w.minLength
	case "maxLength":
		return &w.maxLength
	}
	return w.container(name)
}

// container is word for the keywords of lists, of objects and of schemas in schemas.
func (w *words) container(name string) *[]byte {
	switch name {
	case "items":
		return &w.items
	case "minItems":
		return &w.minItems
	case "maxItems":
		return &w.maxItems
	case "properties":
		return &w.properties
	case "required":
		return &w.required
	case "additionalProperties":
		return &w.additional
	case "allOf":
		return &w.allOf
	case "anyOf":
		return &w.anyOf
	case "oneOf":
		return &w.oneOf
	}
	return nil
}

// alternatives is the list of schemas of which a value need fit only one.
func (w *words) alternatives() []byte {
	if w.anyOf != nil {
		return w.anyOf
	}
	return w.oneOf
}

// fill takes from other what w does not say itself.
func (w *words) fill(other *words) {
	for _, name := range filled {
		if at := w.word(name); *at == nil {
			*at = *other.word(name)
		}
	}
}

var filled = []string{
	"type", "title", "description", "default", "enum", "const", "format", "pattern", "minimum", "maximum", "minLength", "maxLength",
	"items", "minItems", "maxItems", "additionalProperties", "anyOf", "oneOf",
}
