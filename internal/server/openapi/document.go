package openapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/protocol"
)

const (
	jsonType    = "application/json"
	problemType = "application/problem+json"
	streamType  = "text/event-stream"

	schemaPrefix    = "#/components/schemas/"
	responsePrefix  = "#/components/responses/"
	parameterPrefix = "#/components/parameters/"
)

// Document returns the document as JSON. An error means that the tables of this package
// do not match the operations, which its tests exclude.
func Document() ([]byte, error) {
	b := newBuilder()
	for _, op := range api.Operations() {
		r, ok := rows[op.Name]
		if !ok {
			return nil, fmt.Errorf("the operation %s has no row", op.Name)
		}
		if err := b.add(op, r); err != nil {
			return nil, err
		}
		if op.Name == "calls.get" { // the one path that is not an operation
			op.Name, op.Path = result, op.Path+"/result"
			if err := b.add(op, rows[result]); err != nil {
				return nil, err
			}
		}
	}
	if err := b.explain(); err != nil {
		return nil, err
	}
	return json.Marshal(b.doc)
}

// result is the operation that sends the bytes of a result; it exists only over HTTP.
const result = "calls.result"

// builder fills a document.
type builder struct {
	doc     *huma.OpenAPI
	schemas huma.Registry
}

func newBuilder() *builder {
	schemas := newRegistry()
	b := &builder{schemas: schemas, doc: &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "Helve", Version: "1", Description: about,
			License: &huma.License{Name: "Apache License 2.0", Identifier: "Apache-2.0"},
		},
		Servers: []*huma.Server{{URL: "/", Description: "the dispatcher that this document comes from"}},
		Paths:   map[string]*huma.PathItem{},
		Components: &huma.Components{
			Schemas: schemas, Responses: map[string]*huma.Response{}, Parameters: headers(),
			SecuritySchemes: map[string]*huma.SecurityScheme{"bearer": {
				Type: "http", Scheme: "bearer",
				Description: "An API key or a JWT, where the dispatcher asks for one. Without authentication, which only loopback may have, send none.",
			}},
		},
		Security: []map[string][]string{{"bearer": {}}, {}},
		Tags:     tags,
	}}
	for status, text := range failures {
		b.doc.Components.Responses[responseName(status)] = b.failure(status, text)
	}
	return b
}

// add describes one operation.
func (b *builder) add(op api.Operation, r row) error {
	parameters, err := b.parameters(op)
	if err != nil {
		return err
	}
	group, _, _ := strings.Cut(op.Name, ".")
	if op.Name == api.Execute {
		group = "calls"
	}
	o := &huma.Operation{
		OperationID: op.Name, Summary: r.summary, Description: r.says(op), Tags: []string{group},
		Parameters: parameters, Responses: map[string]*huma.Response{},
	}
	if len(r.done) == 0 || r.gives != "" {
		o.Responses["200"] = b.success(r)
	}
	for status, text := range r.done {
		o.Responses[fmt.Sprint(status)] = &huma.Response{Description: text}
	}
	for _, status := range append(r.fails, always...) {
		o.Responses[fmt.Sprint(status)] = &huma.Response{Ref: responsePrefix + responseName(status)}
	}
	if r.overload {
		o.Responses["503"] = b.failure(http.StatusServiceUnavailable,
			"Not ready, or overloaded: where every call was refused for that, the answer has their results too.")
		o.Responses["503"].Content[problemType].Schema = b.schema(protocol.OverloadedProblem{})
		o.Responses["429"] = b.failure(http.StatusTooManyRequests,
			"Over a quota: every call was refused for that, and the answer has their results too.")
		o.Responses["429"].Content[problemType].Schema = b.schema(protocol.OverloadedProblem{})
	}
	if op.Body {
		o.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			jsonType: {Schema: b.schema(r.body), Examples: examples(r.asks)},
		}}
	}
	if r.takes != "" {
		o.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{r.takes: {}}}
	}
	item := b.doc.Paths[op.Path]
	if item == nil {
		item = &huma.PathItem{}
		b.doc.Paths[op.Path] = item
	}
	switch op.Method {
	case http.MethodGet:
		item.Get = o
	case http.MethodPost:
		item.Post = o
	case http.MethodPut:
		item.Put = o
	case http.MethodDelete:
		item.Delete = o
	default:
		return fmt.Errorf("the method %s of %s has no place in the document", op.Method, op.Name)
	}
	return nil
}

func (b *builder) success(r row) *huma.Response {
	kind := r.kind
	if kind == "" {
		kind = jsonType
	}
	return &huma.Response{Description: r.gives, Content: map[string]*huma.MediaType{
		kind: {Schema: b.schema(r.answer), Examples: examples(r.answers)},
	}}
}

// examples converts examples by title.
func examples(list map[string]string) map[string]*huma.Example {
	all := map[string]*huma.Example{}
	for name, text := range list {
		all[name] = &huma.Example{Value: json.RawMessage(text)}
	}
	return all
}
