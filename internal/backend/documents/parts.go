package documents

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// partSize is the most that lies under one key: a quarter of what a NATS server
// takes in one message unless it is told otherwise.
const partSize = 256 << 10

// partsOutlive is how much longer parts are kept than the head that names them.
const partsOutlive = time.Minute

// A document of at most partSize is the value of its key. A larger one is cut into
// parts under keys of their own below that, KEY.VERSION.N, which nobody reads
// before the head names them: the value of its key is then a zero byte, which no
// JSON begins with, and a heading.
type heading struct {
	Version string `json:"version"`
	Parts   int    `json:"parts"`
	Size    int    `json:"size"`
}

func partKey(key, version string, n int) string { return key + "." + version + "." + strconv.Itoa(n) }

// readHead is nil where the value is the document itself.
func readHead(value []byte) *heading {
	text, large := bytes.CutPrefix(value, []byte{0})
	var h heading
	if !large || json.Unmarshal(text, &h) != nil || h.Parts < 1 || h.Parts > maxSize/partSize || h.Size > maxSize {
		return nil
	}
	return &h
}

// split stores the parts of a large document and returns the value of its key.
func (s *shelf) split(ctx context.Context, key string, doc []byte, ttl time.Duration) ([]byte, error) {
	if len(doc) <= partSize {
		return doc, nil
	}
	h := heading{Version: rand.Text(), Parts: (len(doc) + partSize - 1) / partSize, Size: len(doc)}
	text, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	head := append([]byte{0}, text...)
	for n := range h.Parts {
		part := doc[n*partSize : min((n+1)*partSize, len(doc))]
		if err := s.bucket.PutFor(ctx, partKey(key, h.Version, n), part, ttl+partsOutlive); err != nil {
			s.forgetParts(ctx, key, head)
			return nil, err
		}
	}
	return head, nil
}

// rereads is how often a document that is replaced while it is read is begun anew.
const rereads = 5

// join reads a document.
func (s *shelf) join(ctx context.Context, key string) (json.RawMessage, error) {
	last := ""
	for range rereads {
		value, err := s.bucket.Get(ctx, key)
		if err != nil || len(value) == 0 {
			return nil, err
		}
		h := readHead(value)
		switch {
		case h == nil && value[0] == 0:
			return nil, errors.New("the heading of a document is not readable")
		case h == nil:
			return value, nil
		case h.Version == last:
			return nil, fmt.Errorf("a part of %s is missing", key)
		}
		last = h.Version
		doc, err := s.parts(ctx, key, h)
		if err != nil || doc != nil {
			return doc, err
		}
	}
	return nil, errors.New("the document is replaced faster than it can be read")
}

// parts reads the parts of a document; nil if one is gone, because the document was
// replaced or deleted.
func (s *shelf) parts(ctx context.Context, key string, h *heading) (json.RawMessage, error) {
	doc := make([]byte, 0, h.Size)
	for n := range h.Parts {
		part, err := s.bucket.Get(ctx, partKey(key, h.Version, n))
		if err != nil || part == nil {
			return nil, err
		}
		doc = append(doc, part...)
	}
	if len(doc) != h.Size {
		return nil, fmt.Errorf("the parts of %s have %d bytes, want %d", key, len(doc), h.Size)
	}
	return doc, nil
}

// forgetParts removes the parts that a value names. What fails here is removed by
// its time.
func (s *shelf) forgetParts(ctx context.Context, key string, value []byte) {
	h := readHead(value)
	if h == nil {
		return
	}
	for n := range h.Parts {
		_ = s.bucket.Forget(ctx, partKey(key, h.Version, n))
	}
}
