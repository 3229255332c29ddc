package store

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/helve-dev/helve/tool"
)

// Entry is a stored tool. The definition is for processes that list tools and need no code.
type Entry struct {
	Definition tool.Definition `json:"definition"`
	Tool       tool.CustomTool `json:"tool"`
	// SharedBy is the approver or admin who shared this version, and SharedAt the time;
	// both are empty for a person's own tool.
	SharedBy string    `json:"shared_by,omitempty"`
	SharedAt time.Time `json:"shared_at,omitzero"`
}

// Encode returns the value to store.
func (e *Entry) Encode() ([]byte, error) { return json.Marshal(e) }

// Decode reads the value stored under a key. The owner of a person's own tool is the one in
// the key, whatever the value contains.
func Decode(key string, value []byte) (*Entry, Place, error) {
	p, ok := ParsePlace(key)
	if !ok {
		return nil, p, fmt.Errorf("%q is not the key of a tool", key)
	}
	e := new(Entry)
	if err := json.Unmarshal(value, e); err != nil {
		return nil, p, err
	}
	if e.Tool.Name != p.Name || e.Definition.Name != p.Name {
		return nil, p, fmt.Errorf("the tool is called %q and its definition %q", e.Tool.Name, e.Definition.Name)
	}
	switch {
	case p.Owner != "":
		e.Tool.Owner = p.Owner
	case e.Tool.Owner == "":
		return nil, p, fmt.Errorf("the shared tool has no owner")
	}
	return e, p, nil
}
