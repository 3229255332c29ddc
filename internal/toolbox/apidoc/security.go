package apidoc

import "strings"

// schemes reads the security schemes. A scheme that is not supported has no type.
func (r *reader) schemes() {
	members(field(field(r.root, "components"), "securitySchemes"), func(name string, n *node) bool {
		var s Scheme
		if n, err := r.resolved(n); err == nil {
			s = schemeOf(n)
		}
		r.doc.Schemes[name] = s
		return true
	})
}

func schemeOf(n *node) Scheme {
	switch text(field(n, "type")) {
	case "apiKey":
		in, name := text(field(n, "in")), text(field(n, "name"))
		if (in == InHeader || in == InQuery || in == InCookie) && name != "" {
			return Scheme{Type: APIKey, In: in, Name: name}
		}
	case "http":
		switch strings.ToLower(text(field(n, "scheme"))) {
		case "bearer":
			return Scheme{Type: Bearer}
		case "basic":
			return Scheme{Type: Basic}
		}
	case "oauth2", "openIdConnect":
		return Scheme{Type: Bearer}
	}
	return Scheme{}
}

// Bounds of what one operation needs: each operation has a list of its own.
const (
	maxAlternatives = 16
	maxTogether     = 8 // schemes of one alternative
)

// tooMany takes the place of an alternative of too many schemes. No scheme has the name, so
// that it cannot be chosen: with some of them a request is not authorized.
const tooMany = "(too many schemes together)"

// security reads the alternatives of an operation, or those of the document.
func (r *reader) security(op *Operation, n *node) {
	list := field(n, "security")
	if list == nil {
		list = field(r.root, "security")
	}
	op.Secured = list != nil
	for _, item := range items(list) {
		alternative := []string{}
		members(item, func(name string, _ *node) bool {
			alternative = append(alternative, name)
			return len(alternative) <= maxTogether
		})
		if len(alternative) > maxTogether {
			alternative = []string{tooMany}
		}
		if op.Security = append(op.Security, alternative); len(op.Security) == maxAlternatives {
			return
		}
	}
}
