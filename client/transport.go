package client

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/url"
	"time"

	"github.com/go-json-experiment/json"
)

// transport carries operations. Its errors are as in the package comment: the cause of
// ctx, or a [*RequestError].
type transport interface {
	request(ctx context.Context, op operation) (answer, error)
	// events yields the events of a trace after the event with the ID after, as far as
	// the server has them, and then new events.
	events(ctx context.Context, traceID, after string) iter.Seq2[Event, error]
	// fetch reads the large result of a call, at most limit bytes.
	fetch(ctx context.Context, callID string, ref *ResultRef, limit int64) ([]byte, error)
	// silence returns the error for a server that did not answer in time; it is
	// allocated once, not for each request.
	silence() error
	close()
}

// operation is one row of the protocol's table of operations, for both transports.
type operation struct {
	// name is the operation on NATS; its fields are the body unless body is set.
	name   string
	fields map[string]string
	// method and path, with the query, are the operation over HTTP.
	method, path string
	body         []byte
	// upload is a body over HTTP that is not JSON.
	upload io.Reader
	// patience is the time the server may take; 0 means answerTimeout.
	patience time.Duration
}

type answer struct {
	body []byte
	// retryAfter is the server's hint for calls refused as overloaded.
	retryAfter time.Duration
}

// list returns an operation whose parameters are the query.
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

// natsBody returns the body on NATS.
func (op *operation) natsBody() ([]byte, error) {
	if op.body != nil {
		return op.body, nil
	}
	return json.Marshal(op.fields, json.Deterministic(true))
}

var errSilent = errors.New("no answer in time")

// ended returns the reason a request failed: the cause of ctx if ctx is over, else why.
func ended(ctx context.Context, why error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return why
}

// failing returns a sequence that yields only an error.
func failing(err error) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) { yield(Event{}, err) }
}

// errForeign is in the chain of an answer that did not come from Helve. A retry does
// not help.
var errForeign = errors.New("not an answer of Helve")

// decode decodes the body of an answer.
func decode(body []byte, into any) error {
	if err := json.Unmarshal(body, into, lenient); err != nil {
		return foreign("the answer is not Helve's; check the server's address", err)
	}
	return nil
}

func foreign(message string, why error) error {
	return &RequestError{Type: Unavailable, Message: message, cause: errors.Join(ErrUnreachable, errForeign, why)}
}
