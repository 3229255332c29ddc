package provider

import (
	"bytes"
	"net/url"
	"strconv"
	"strings"

	"github.com/helve-dev/helve/internal/lib/jsonwalk"
)

// lookup returns the target of a reference, nil if it does not exist or is outside the
// document.
func (d *document) lookup(ref []byte) []byte {
	text, ok := textOf(ref)
	if !ok || !strings.HasPrefix(text, "#") {
		return nil
	}
	path, err := url.PathUnescape(text[1:])
	if err != nil {
		return nil
	}
	if path == "" {
		return d.root
	}
	if path[0] != '/' {
		return nil
	}
	at := d.root
	for token := range strings.SplitSeq(path[1:], "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		var found []byte
		for name, value := range jsonwalk.EachMember(at) {
			if bytes.Equal(key(name), []byte(token)) {
				found = value
			}
		}
		for i, value := range jsonwalk.EachItem(at) {
			if strconv.Itoa(i) == token {
				found = value
			}
		}
		if found == nil {
			return nil
		}
		at = found
	}
	return at
}
