// Package natsapi is the form the operations take on NATS: every parameter is a
// field of the JSON body, an empty body is {}, and a failure is a
// [*dispatcher.RequestError].
//
// It holds no connection and knows no subject. Whoever serves the requests puts
// each handler on the subject of its name and turns errors into the headers of a
// NATS micro service; events are not answered here but subscribed to.
//
// It asks for no credential: who may publish to which subject is for the NATS
// server to say, and with it for which tenant. Within a tenant the caller holds
// every role and is whom the body says it is, in context or by.
package natsapi

import (
	"context"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/api"
	"github.com/helve-dev/helve/internal/identity"
)

// Handler answers one request. The body is the handler's from then on. A header
// that is not there is empty. The error is a [*dispatcher.RequestError].
type Handler func(ctx context.Context, tenant string, body []byte, header func(key string) string) (reply []byte, err error)

// Handlers returns a handler for each operation, by the operation's name.
func Handlers(svc *api.Service) map[string]Handler {
	handlers := map[string]Handler{}
	for _, op := range api.Operations() {
		handlers[op.Name] = handler(svc, op)
	}
	return handlers
}

func handler(svc *api.Service, op api.Operation) Handler {
	return func(ctx context.Context, tenant string, body []byte, header func(key string) string) ([]byte, error) {
		if len(body) == 0 {
			body = []byte("{}")
		}
		in := api.Input{Tenant: tenant, By: identity.Anyone(tenant), Body: body, Traceparent: header("traceparent")}
		if len(op.Params) > 0 && len(body) <= svc.Limits.Body { // the service refuses what is larger
			var err error
			if in.Params, err = params(op, body); err != nil {
				return nil, err
			}
		}
		reply, err := svc.Do(ctx, op, in)
		return reply.Body, err
	}
}

// params reads the operation's parameters from the body, as text. Null is the
// same as absent, and other fields are left to whoever knows them.
func params(op api.Operation, body []byte) (map[string]string, error) {
	var given map[string]jsontext.Value
	if err := jsonv2.Unmarshal(body, &given); err != nil || given == nil {
		return nil, api.BadRequest("the body must be one JSON object, with the parameters as its fields")
	}
	params := map[string]string{}
	for _, name := range op.Params {
		value, there := given[name]
		if !there {
			continue
		}
		kind := "a string"
		if slices.Contains(op.Numbers, name) {
			kind = "a number"
			if value.Kind() == '0' {
				params[name] = string(value)
				continue
			}
		}
		var text string // stays empty for null
		if err := jsonv2.Unmarshal(value, &text); err != nil {
			return nil, api.BadRequest("%s must be %s", name, kind)
		}
		params[name] = text
	}
	return params, nil
}
