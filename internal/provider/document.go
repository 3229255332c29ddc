package provider

import (
	"bytes"
	"net/url"
	"strconv"
	"strings"
)

// lookup finds what a reference points at, nil for one that leads nowhere or out of the
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
		for name, value := range members(at) {
			if bytes.Equal(key(name), []byte(token)) {
				found = value
			}
		}
		for i, value := range elements(at) {
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
