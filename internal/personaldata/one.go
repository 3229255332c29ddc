package personaldata

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"

	"github.com/helve-dev/helve/internal/ports/store"
	"github.com/helve-dev/helve/tool"
)

// each calls f with every item of a collection, as a value of its type.
func each[T any](c *tool.Collection[T], items Items, f func(*store.Item, *T) error) error {
	return items(func(item *store.Item) error {
		if item.Collection != c.Shape().Name {
			return nil
		}
		var v T
		if err := json.Unmarshal(item.Doc, &v); err != nil {
			return err
		}
		return f(item, &v)
	})
}

// capture is a store that returns the document that a collection inserts.
type capture struct {
	tool.Store // for the methods that are not called
	doc        json.RawMessage
}

// Insert implements [tool.Store].
func (c *capture) Insert(_ context.Context, _ *tool.Shape, doc json.RawMessage) (tool.Row, error) {
	c.doc = doc
	return tool.Row{}, nil
}

// itemOf returns a value as an item of its collection.
func itemOf[T any](c *tool.Collection[T], id string, v T) (*store.Item, error) {
	var into capture
	if _, err := c.Insert(context.Background(), &into, v); err != nil {
		return nil, err
	}
	return &store.Item{Collection: c.Shape().Name, Search: c.Shape().Search, Row: tool.Row{ID: id, Doc: into.doc}}, nil
}

var ownID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)

// idOf returns the id of an item that another program has given a name. The same name has
// the same id, so an import may be repeated.
func idOf(name string) string {
	if ownID.MatchString(name) {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return "x" + hex.EncodeToString(sum[:10])
}
