package apitools

import (
	"encoding/json"

	"github.com/helve-dev/helve/internal/toolbox/apidoc"
)

// shown is the definition that an operator accepts: everything of the document that a
// model, a person or a rule relies on, and how a request is made of it.
type shown struct {
	API         string          `json:"api"`
	OperationID string          `json:"operation_id"`
	Method      string          `json:"method"`
	Path        string          `json:"path"`
	Server      string          `json:"server,omitzero"` // unless the operator has set it
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Security    [][]string      `json:"security,omitzero"`
	// Schemes are those of Security.
	Schemes map[string]shownScheme `json:"schemes,omitzero"`
	// Sent is the place of each parameter in a request, by the argument's name.
	Sent map[string]shownPlace `json:"sent,omitzero"`
	Body *shownBody            `json:"body,omitzero"`
}

type shownScheme struct {
	Type string `json:"type"`
	In   string `json:"in,omitzero"`
	Name string `json:"name,omitzero"`
}

type shownPlace struct {
	In   string `json:"in"`
	Name string `json:"name"`
	JSON bool   `json:"json,omitzero"`
	shownEncoding
}

type shownEncoding struct {
	Style    string `json:"style,omitzero"`
	Explode  bool   `json:"explode,omitzero"`
	Reserved bool   `json:"reserved,omitzero"`
	Type     string `json:"type,omitzero"`
}

type shownBody struct {
	MediaType string                   `json:"media_type"`
	Required  bool                     `json:"required,omitzero"`
	Fields    map[string]shownEncoding `json:"fields,omitzero"`
	Files     map[string]bool          `json:"files,omitzero"`
}

func encodingShown(e apidoc.Encoding) shownEncoding {
	return shownEncoding{e.Style, e.Explode, e.AllowReserved, e.ContentType}
}

// definition returns what an operator accepts. The server is empty if the operator has set
// it.
func (o *offer) definition(doc *apidoc.Document, server string) (json.RawMessage, error) {
	op := o.op
	s := shown{
		API: o.api.Name, OperationID: op.ID, Method: op.Method, Path: op.Path, Server: server, Description: o.def.Description,
		Parameters: o.plan.schema, Security: op.Security, Schemes: map[string]shownScheme{}, Sent: map[string]shownPlace{},
	}
	for _, names := range securityOf(doc, op) {
		for _, name := range names {
			scheme := doc.Schemes[name]
			s.Schemes[name] = shownScheme{scheme.Type, scheme.In, scheme.Name}
		}
	}
	for _, a := range o.plan.parameters {
		s.Sent[a.name] = shownPlace{a.parameter.In, a.parameter.Name, a.parameter.JSON, encodingShown(a.parameter.Encoding)}
	}
	if b := op.Body; b != nil {
		s.Body = &shownBody{MediaType: b.MediaType, Required: b.Required, Fields: map[string]shownEncoding{}, Files: map[string]bool{}}
		for name, e := range b.Fields {
			s.Body.Fields[name] = encodingShown(e)
		}
		for name, is := range b.Files {
			if is {
				s.Body.Files[name] = true
			}
		}
	}
	return encoded(s)
}
