package apidoc

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/pb33f/go-yaml"
)

// maxChain bounds references that lead to references.
const maxChain = 20

var (
	errCircle = errors.New("its references lead in a circle")
	errWide   = fmt.Errorf("a part of it has more than %d members", maxWide)
)

// resolved returns a value, or the value that it refers to.
func (r *reader) resolved(n *node) (*node, error) {
	for range maxChain {
		if n = follow(n); n != nil && n.Kind == yaml.MappingNode && len(n.Content) > 2*maxWide {
			return nil, errWide
		}
		ref := refOf(n)
		if ref == "" {
			return n, nil
		}
		var err error
		if n, err = r.find(ref); err != nil {
			return nil, err
		}
	}
	return nil, errCircle
}

// refOf returns the reference that a value is; "" for none.
func refOf(n *node) string { return text(field(n, "$ref")) }

// find returns the value in the document that a reference leads to.
func (r *reader) find(ref string) (*node, error) {
	if found, known := r.refs[ref]; known {
		if found == nil {
			return nil, dangling(ref)
		}
		return found, nil
	}
	pointer, inside := strings.CutPrefix(ref, "#")
	if !inside {
		return nil, outside(ref)
	}
	found := r.root
	if pointer != "" && pointer[0] != '/' {
		found = nil // an anchor
	}
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if found == nil || pointer == "" {
			break
		}
		found = child(found, token)
	}
	r.refs[ref] = found
	if found == nil {
		return nil, dangling(ref)
	}
	return found, nil
}

func dangling(ref string) error {
	return fmt.Errorf("its reference %s leads to nothing", clip(ref))
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// child returns the member or item that a token of a JSON pointer names.
func child(n *node, token string) *node {
	if decoded, err := url.PathUnescape(token); err == nil {
		token = decoded
	}
	token = unescape.Replace(token)
	if n = follow(n); n != nil && n.Kind == yaml.SequenceNode {
		if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(n.Content) {
			return follow(n.Content[i])
		}
		return nil
	}
	return field(n, token)
}
