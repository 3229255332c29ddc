// Package natsapi implements the operations over NATS: every parameter is a field of
// the JSON body, an empty body is {}, and a failure is a [*api.RequestError].
//
// It has no connection and no subjects. The server of the requests puts each handler on
// the subject of its name and converts errors to the headers of a NATS micro service;
// events are subscribed to and not served here.
//
// Without authentication, the NATS server decides who may publish to which subject, and
// thereby for which tenant: within a tenant the caller has every role and is the person
// named in the body, in context or by. A subject that names a person belongs to that
// person only. With authentication each request has the header Authorization, as over
// HTTP, unless the operator trusts the NATS server; see [Options].
package natsapi

import (
	"context"
	"errors"
	"net/http"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/server/api"
)

// Handler serves one request. The handler owns the body. A missing header is empty. The
// error is a [*api.RequestError].
type Handler func(ctx context.Context, from Asker, body []byte, header func(key string) string) (reply []byte, err error)

// Handlers returns a handler for each operation, by the operation's name.
func Handlers(svc *api.Service, o Options) map[string]Handler {
	handlers := map[string]Handler{}
	for _, op := range api.Operations() {
		handlers[op.Name] = o.counted(op.Name, handler(svc, o, op))
	}
	return handlers
}

// counted reports each answer of a handler.
func (o Options) counted(operation string, handle Handler) Handler {
	if o.Answered == nil {
		return handle
	}
	return func(ctx context.Context, from Asker, body []byte, header func(key string) string) ([]byte, error) {
		reply, err := handle(ctx, from, body, header)
		o.Answered(operation, statusOf(err))
		return reply, err
	}
}

// statusOf returns the status that an answer has over HTTP.
func statusOf(err error) int {
	if failure, ok := errors.AsType[*api.RequestError](err); ok {
		return failure.Status
	}
	if err != nil {
		return http.StatusInternalServerError
	}
	return http.StatusOK
}

func handler(svc *api.Service, o Options, op api.Operation) Handler {
	return func(ctx context.Context, from Asker, body []byte, header func(key string) string) ([]byte, error) {
		if len(body) == 0 {
			body = []byte("{}")
		}
		by, err := o.caller(ctx, from, header("Authorization"))
		if err != nil {
			return nil, err
		}
		in := api.Input{Tenant: from.Tenant, By: by, Body: body, Traceparent: header("traceparent"), Language: header("Accept-Language")}
		span := o.Tracing.NATSRequest(op.Name)
		in.Span = span
		if len(op.Params) > 0 && len(body) <= svc.Limits.Body { // the service refuses larger bodies
			if in.Params, err = params(op, body); err != nil {
				return nil, err
			}
		}
		reply, err := svc.Do(ctx, op, in)
		if err == nil {
			err = o.fits(op, len(reply.Body))
		}
		span.End(statusOf(err))
		return reply.Body, err
	}
}

// fits returns the error for an answer that no message can hold.
func (o Options) fits(op api.Operation, size int) error {
	if o.Longest == nil || int64(size) <= o.Longest() {
		return nil
	}
	advice := "send the request over HTTP"
	if slices.Contains(op.Params, "limit") {
		advice = "request a page of it with limit, and the next one with cursor, or send the request over HTTP"
	}
	return api.TooLarge("the answer has %d bytes, and a message of this NATS server at most %d; %s", size, o.Longest(), advice)
}

// params returns the operation's parameters from the body, as text. Null is the same as
// absent, and other fields are ignored.
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
		if slices.Contains(op.Flags, name) {
			kind = "true or false"
			if value.Kind() == 't' || value.Kind() == 'f' {
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
