package olddocuments

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strconv"
)

// partSize is the maximum size under one key: a quarter of the default maximum message
// of a NATS server.
const partSize = 256 << 10

// maxSize is the greatest size of a document.
const maxSize = 2 << 20

// A heading is stored under the key of a large document. A document of at most partSize
// is the value of its key. A larger one is split into parts under their own keys,
// KEY.VERSION.N, which are not read before the head names them: the value of the
// document's key is then a zero byte, with which no JSON begins, and a heading.
type heading struct {
	Version string `json:"version"`
	Parts   int    `json:"parts"`
	Size    int    `json:"size"`
}

func partKey(key, version string, n int) string { return key + "." + version + "." + strconv.Itoa(n) }

// readHead returns nil if the value is the document itself.
func readHead(value []byte) *heading {
	text, large := bytes.CutPrefix(value, []byte{0})
	var h heading
	if !large || json.Unmarshal(text, &h) != nil || h.Parts < 1 || h.Parts > maxSize/partSize || h.Size > maxSize {
		return nil
	}
	return &h
}

// errUnreadable means that the heading or a part of a document is missing or damaged.
var errUnreadable = errors.New("the document is not readable")

// rereads is the number of times that reading is repeated for a document that is
// replaced while it is read.
const rereads = 5

// join reads a document.
func join(ctx context.Context, b Bucket, key string) (json.RawMessage, error) {
	last := ""
	for range rereads {
		value, err := b.Get(ctx, key)
		if err != nil || len(value) == 0 {
			return nil, err
		}
		h := readHead(value)
		switch {
		case h == nil && value[0] == 0:
			return nil, errUnreadable
		case h == nil:
			return value, nil
		case h.Version == last:
			return nil, errUnreadable
		}
		last = h.Version
		doc, err := parts(ctx, b, key, h)
		if err != nil || doc != nil {
			return doc, err
		}
	}
	return nil, errors.New("the document is replaced faster than it can be read")
}

// parts reads the parts of a document; it returns nil if one is gone, because the
// document was replaced or deleted.
func parts(ctx context.Context, b Bucket, key string, h *heading) (json.RawMessage, error) {
	doc := make([]byte, 0, h.Size)
	for n := range h.Parts {
		part, err := b.Get(ctx, partKey(key, h.Version, n))
		if err != nil || part == nil {
			return nil, err
		}
		doc = append(doc, part...)
	}
	if len(doc) != h.Size {
		return nil, errUnreadable
	}
	return doc, nil
}

// forgetParts deletes the parts that a value names. Parts that it fails to delete
// expire.
func forgetParts(ctx context.Context, b Bucket, key string, value []byte) {
	h := readHead(value)
	if h == nil {
		return
	}
	for n := range h.Parts {
		_ = b.Forget(ctx, partKey(key, h.Version, n))
	}
}
