package apidoc

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// methods are those that can be called. TRACE is left out: its answer repeats the
// credentials of the request.
var methods = []string{"get", "put", "post", "delete", "options", "head", "patch"}

// operations reads all operations.
func (r *reader) operations() error {
	paths := field(r.root, "paths")
	var refused error
	byID := map[string]*Operation{}
	membersUpTo(maxLookup, paths, func(path string, item *node) bool {
		if !strings.HasPrefix(path, "/") {
			return true // an extension
		}
		if item, refused = r.resolved(item); refused != nil {
			refused = fmt.Errorf("the path %s: %w", clip(path), refused)
			return false
		}
		for _, method := range methods {
			n := field(item, method)
			if n == nil {
				continue
			}
			id := cmp.Or(text(field(n, "operationId")), method+" "+path)
			op := &Operation{ID: id, Method: strings.ToUpper(method), Path: path}
			if other := byID[id]; other != nil {
				refused = fmt.Errorf("%s %s and %s %s have the same operationId %s; each operation needs its own",
					other.Method, clip(other.Path), op.Method, clip(path), clip(id))
				return false
			}
			if byID[id] = op; len(byID) > MaxOperations {
				refused = fmt.Errorf("it has more than %d operations", MaxOperations)
				return false
			}
			if !r.want(id) {
				continue
			}
			switch err := r.operation(op, item, n); {
			case errors.Is(err, errOutside):
				refused = err
				return false
			case err != nil:
				r.doc.LeftOut = append(r.doc.LeftOut, LeftOut{id, err.Error()})
			default:
				r.doc.Operations = append(r.doc.Operations, op)
			}
		}
		return true
	})
	slices.SortStableFunc(r.doc.Operations, func(a, b *Operation) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Method, b.Method))
	})
	return refused
}

const maxTags = 10

// operation reads one operation. The error is the reason why it cannot be called.
func (r *reader) operation(op *Operation, item, n *node) error {
	op.Summary, op.Description = cmp.Or(text(field(n, "summary")), text(field(item, "summary"))), text(field(n, "description"))
	op.Deprecated = truth(field(n, "deprecated"))
	for _, tag := range items(field(n, "tags")) {
		if len(op.Tags) < maxTags {
			op.Tags = append(op.Tags, text(tag))
		}
	}
	op.Server = cmp.Or(server(field(n, "servers")), server(field(item, "servers")))
	r.security(op, n)
	op.Binary = r.binary(field(n, "responses"))
	if err := r.parameters(op, field(item, "parameters"), field(n, "parameters")); err != nil {
		return err
	}
	return r.body(op, field(n, "requestBody"))
}

// binary reports whether a successful answer may be neither text nor JSON.
func (r *reader) binary(responses *node) (found bool) {
	members(responses, func(status string, n *node) bool {
		if !strings.HasPrefix(status, "2") && status != "default" {
			return true
		}
		n, err := r.resolved(n)
		if err != nil {
			return true
		}
		members(field(n, "content"), func(media string, _ *node) bool {
			found = found || !IsText(media)
			return !found
		})
		return !found
	})
	return found
}
