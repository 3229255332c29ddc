package openapi

import (
	"github.com/danielgtaylor/huma/v2"

	"github.com/helve-dev/helve/protocol"
)

// The body of execute is read by hand, for speed and because parts of it are kept
// byte for byte: see api.ParseExecute.

// ExecuteRequest is a list of calls or a model's message.
type ExecuteRequest struct{}

// Schema implements [huma.SchemaProvider].
func (ExecuteRequest) Schema(r huma.Registry) *huma.Schema {
	b := builder{schemas: r}
	return &huma.Schema{OneOf: []*huma.Schema{b.schema(protocol.ExecuteCalls{}), b.schema(protocol.ExecuteMessage{})}}
}

// forms are schemas of fields whose Go type is any JSON.
var forms = map[string]*huma.Schema{
	"Call.arguments":         {AnyOf: []*huma.Schema{{Type: huma.TypeObject, AdditionalProperties: true}, {Type: huma.TypeString}}},
	"ExecuteMessage.message": {Type: huma.TypeObject, AdditionalProperties: map[string]any{}},
	"ExecuteAnswer.messages": {Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: map[string]any{}}},
}

// ToolsAnswer is the native list, or the tools of a provider's format.
type ToolsAnswer struct{}

// Schema implements [huma.SchemaProvider].
func (ToolsAnswer) Schema(r huma.Registry) *huma.Schema {
	b := builder{schemas: r}
	return &huma.Schema{AnyOf: []*huma.Schema{b.schema(protocol.ToolList{}), b.schema(ProviderTools{})}}
}

// ProviderTools are tools as a model provider writes them.
type ProviderTools struct {
	Tools []map[string]any `json:"tools" doc:"Exactly what that provider's request takes as its tools."`
	Next  string           `json:"next,omitempty" doc:"The cursor of the next page, if the request has limit or cursor; absent on the last."`
}
