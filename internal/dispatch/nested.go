package dispatch

import (
	"encoding/json"

	"github.com/helve-dev/helve/internal/fleet/catalog"
)

// The arguments of a tool that calls other tools hold their arguments, whose secrets only
// the schemas of those tools mark.

// shownBatchMost bounds the calls of a batch whose arguments are shown: a worker runs at
// most as many.
const shownBatchMost = 20

// shownAs returns the arguments of a tool as a caller sent them, as people may see them; nil
// if they cannot be shown, or the tool is not known and so its secrets.
func (h Hidden) shownAs(tenant, user, name string, args json.RawMessage) json.RawMessage {
	switch name {
	case catalog.UseTool:
		return h.shownCall(tenant, user, args, "tool_name", "arguments")
	case catalog.BatchUseTool:
		return h.shownBatch(tenant, user, args)
	}
	schema, known := h.schemaOf(tenant, user, name)
	if !known {
		return nil
	}
	return shown(args, schema)
}

// shownBatch is shownAs for a batch: what is not part of a call is left out, and a call of a
// tool that is not known is null.
func (h Hidden) shownBatch(tenant, user string, args json.RawMessage) json.RawMessage {
	var batch struct {
		Calls      []json.RawMessage `json:"calls,omitempty"`
		Operations []json.RawMessage `json:"operations,omitempty"`
	}
	if json.Unmarshal(args, &batch) != nil || len(batch.Calls)+len(batch.Operations) > shownBatchMost {
		return nil
	}
	for i, item := range batch.Calls {
		batch.Calls[i] = h.shownCall(tenant, user, item, "tool_name", "arguments")
	}
	for i, item := range batch.Operations {
		batch.Operations[i] = h.shownCall(tenant, user, item, "tool", "args")
	}
	return marshaled(batch)
}

// shownCall returns a call that is written as an object: the name of its tool and its
// arguments, in members with these names. It is nil if the tool is not known.
func (h Hidden) shownCall(tenant, user string, item json.RawMessage, toolKey, argsKey string) json.RawMessage {
	var members map[string]json.RawMessage
	var name string
	if json.Unmarshal(item, &members) != nil || json.Unmarshal(members[toolKey], &name) != nil {
		return nil
	}
	def, ok := h.Catalog.Of(tenant, user).Lookup(name)
	if !ok {
		return nil
	}
	return marshaled(map[string]any{toolKey: def.Name, argsKey: shown(object(members[argsKey]), def.Parameters)})
}

// marshaled returns v as JSON, nil if it cannot be written.
func marshaled(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return data
}
