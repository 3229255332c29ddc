package js

import (
	"context"
	"encoding/json"
	"time"
)

// Answer is the answer of a host: JSON, and separately the body that belongs to it, as
// bytes.
type Answer struct {
	Value json.RawMessage
	// Body is the Body of a FetchResponse, or the Data of a FileResponse, if Value
	// lacks it; otherwise nil.
	Body []byte
	// Done, if set, must be called when the script has the answer or no longer needs
	// it. It may be called more than once.
	Done func()
}

// Finish calls Done, if it is set.
func (a *Answer) Finish() {
	if a.Done != nil {
		a.Done()
	}
}

// Request is a request to a host: an operation, its arguments as JSON, and separately
// the body that belongs to them, as bytes.
type Request struct {
	Op   Op
	Args json.RawMessage
	// Body is the Body of a FetchRequest, or the Data of a FileRequest, if Args lacks
	// it. It must not be changed.
	Body []byte
	// CPU is the CPU time that the process of a program used since the last answer to
	// OpNext, or since it began. It is set for OpNext only, and only by the sandbox.
	CPU time.Duration
}

// BodyHost is a [Host] that accepts and returns bodies separately from the JSON, so
// that they are not copied into it.
type BodyHost interface {
	Host
	Answer(ctx context.Context, req Request) (Answer, error)
}

// Ask sends a request to a host and returns its answer. A host that accepts no bodies
// gets them in the JSON.
func Ask(ctx context.Context, h Host, req Request) (Answer, error) {
	if h, ok := h.(BodyHost); ok {
		return h.Answer(ctx, req)
	}
	args, err := req.whole()
	if err != nil {
		return Answer{}, err
	}
	value, err := h.Do(ctx, req.Op, args)
	return Answer{Value: value}, err
}

// whole returns the arguments with the body in them.
func (r *Request) whole() (json.RawMessage, error) {
	if len(r.Body) == 0 {
		return r.Args, nil
	}
	switch r.Op {
	case OpFetch:
		var req FetchRequest
		if err := json.Unmarshal(r.Args, &req); err != nil {
			return nil, err
		}
		req.Body = r.Body
		return encode(r.Op, &req)
	case OpFile:
		var req FileRequest
		if err := json.Unmarshal(r.Args, &req); err != nil {
			return nil, err
		}
		req.Data = r.Body
		return encode(r.Op, &req)
	default:
		return r.Args, nil // no other operation has a body
	}
}
