package store

import (
	"context"
	"encoding/json"

	"github.com/helve-dev/helve/tool"
)

// touched is the collection of the names that calls have touched: a document of each,
// whose id is the name.
var touched = &tool.Shape{Name: "touched", Fields: map[string]tool.FieldKind{}}

// Touch implements [tool.Store].
func (u *Unit) Touch(ctx context.Context, name string) error {
	if !shapeName.MatchString(name) {
		return tool.Fail(tool.Internal, "the tool touches a name that cannot be stored")
	}
	_, err := u.Update(ctx, touched, name, 0, json.RawMessage(`{}`))
	if e := tool.AsError(err); e == nil || e.Kind != tool.NotFound {
		return err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	at := u.now()
	c := &change{key: key{touched.Name, name}, revision: 1, created: at, updated: at}
	c.set(touched, json.RawMessage(`{}`))
	u.put(c)
	return nil
}
