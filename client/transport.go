package client

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"time"

	"github.com/go-json-experiment/json"
)

// transport carries operations. Its errors are those of the package's
// documentation: the cause of ctx, or a [*RequestError].
type transport interface {
	request(ctx context.Context, op operation) (answer, error)
	// events yields the events of a trace after the one with the id after, as
	// far as they are known, and then those that happen.
	events(ctx context.Context, traceID, after string) iter.Seq2[Event, error]
	// fetch reads the large result of a call, at most limit bytes.
	fetch(ctx context.Context, callID string, ref *ResultRef, limit int64) ([]byte, error)
	// silence is the error of a server that did not answer in time; it is made
	// once, not for each request.
	silence() error
	close()
}

// operation is one row of the protocol's table, in both its forms.
type operation struct {
	// name is the operation on NATS; its fields are the body unless there is one.
	name   string
	fields map[string]string
	// method and path, with the query, are the operation over HTTP.
	method, path string
	body         []byte
	// patience is how long the server may take; 0 means answerTimeout.
	patience time.Duration
}

type answer struct {
	body []byte
	// retryAfter is the server's hint beside calls refused as overloaded.
	retryAfter time.Duration
}

// list is an operation whose parameters are the query.
func list(name, path string, params map[string]string) operation {
	query := url.Values{}
	for key, value := range params {
		query.Set(key, value)
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return operation{name: name, fields: params, method: http.MethodGet, path: path}
}

// natsBody is the body on NATS.
func (op *operation) natsBody() ([]byte, error) {
	if op.body != nil {
		return op.body, nil
	}
	return json.Marshal(op.fields, json.Deterministic(true))
}

var errSilent = errors.New("no answer in time")

// ended returns why a request failed: its context if that is over, else why.
func ended(ctx context.Context, why error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return why
}

// failing is a sequence of events that never begins.
func failing(err error) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) { yield(Event{}, err) }
}

// errForeign is in the chain of an answer that Helve did not write. Asking again
// does not help.
var errForeign = errors.New("not an answer of Helve")

// decode reads an answer's body.
func decode(body []byte, into any) error {
	if err := json.Unmarshal(body, into, lenient); err != nil {
		return foreign("the answer is not Helve's; check the server's address", err)
	}
	return nil
}

func foreign(message string, why error) error {
	return &RequestError{Type: Unavailable, Message: message, cause: errors.Join(ErrUnreachable, errForeign, why)}
}
