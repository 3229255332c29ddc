package upstream

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/helve-dev/helve/internal/toolbox/foreign"
)

// parameters translates a server's schema of arguments or results, and names the rules that
// are not checked here. An absent schema, or true, takes anything.
func parameters(input any) (raw json.RawMessage, unchecked []string, err error) {
	object, ok := input.(map[string]any)
	if !ok && input != nil && input != true {
		return nil, nil, fmt.Errorf("%w: it is not a JSON object", foreign.ErrSchema)
	}
	object = maps.Clone(object)
	if object == nil {
		object = map[string]any{}
	}
	return foreign.Schema(object)
}

// resultSchema returns a server's result schema, or nil if it is unusable, since it is
// optional.
func resultSchema(output any) json.RawMessage {
	if output == nil {
		return nil
	}
	text, _, err := parameters(output)
	if err != nil {
		return nil
	}
	return text
}
