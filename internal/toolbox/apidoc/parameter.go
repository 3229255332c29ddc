package apidoc

import (
	"fmt"
	"slices"
	"strings"
)

// unsent are headers that parameters cannot set. The specification excludes the first three.
// The others are those of the connection, and those with which some servers run another
// method or path than the request's, such as a change in place of a read.
var unsent = []string{
	"accept", "content-type", "authorization", "accept-encoding", "connection", "content-length", "cookie", "expect", "host", "keep-alive",
	"proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade", "x-http-method", "x-http-method-override", "x-method-override",
	"x-original-url", "x-rewrite-url",
}

var places = []string{InPath, InQuery, InHeader, InCookie}

// parameters reads the parameters of an operation: its own replace those of its path. The
// error is the reason why it cannot be called.
func (r *reader) parameters(op *Operation, shared, own *node) error {
	const most = 200
	type place struct{ in, name string }
	at := map[place]*node{}
	var order []place
	for _, list := range []*node{shared, own} {
		for _, item := range items(list) {
			n, err := r.resolved(item)
			if err != nil {
				return err
			}
			p := place{text(field(n, "in")), text(field(n, "name"))}
			if at[p] == nil {
				order = append(order, p)
			}
			at[p] = n
		}
	}
	for _, name := range templated(op.Path) {
		if p := (place{InPath, name}); at[p] == nil {
			at[p] = &node{}
			order = append(order, p)
		}
	}
	if len(order) > most {
		return fmt.Errorf("it has more than %d parameters", most)
	}
	m := r.maker()
	for _, p := range order {
		n := at[p]
		switch {
		case p.in == InPath && !strings.Contains(op.Path, "{"+p.name+"}"), p.in == InHeader && slices.Contains(unsent, strings.ToLower(p.name)):
			continue
		case !slices.Contains(places, p.in) || !m.property(p.name):
			continue
		}
		op.Parameters = append(op.Parameters, m.parameter(p.in, p.name, n))
	}
	return m.err
}

// templated returns the names in a path.
func templated(path string) []string {
	var names []string
	for part := range strings.SplitSeq(path, "{") {
		if name, _, ok := strings.Cut(part, "}"); ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func (m *maker) parameter(in, name string, n *node) *Parameter {
	p := &Parameter{Name: name, In: in, Description: m.note(n), Required: in == InPath || truth(field(n, "required"))}
	p.Encoding = encodingOf(n, map[string]string{InPath: "simple", InHeader: "simple", InQuery: "form", InCookie: "form"}[in])
	schema := field(n, "schema")
	members(field(n, "content"), func(media string, content *node) bool {
		schema, p.JSON = field(content, "schema"), IsJSON(media)
		return false
	})
	p.Schema = map[string]any{"type": "string"}
	if schema != nil {
		p.Schema = m.schema(schema, len(name)+13)
	}
	return p
}

// encodingOf reads the serialization of a parameter or field.
func encodingOf(n *node, style string) Encoding {
	e := Encoding{Style: style, AllowReserved: truth(field(n, "allowReserved")), ContentType: text(field(n, "contentType"))}
	if s := text(field(n, "style")); s != "" {
		e.Style = s
	}
	e.Explode = e.Style == "form" || e.Style == "deepObject"
	if explode := field(n, "explode"); explode != nil && e.Style != "deepObject" {
		e.Explode = truth(explode)
	}
	return e
}
