package api

import (
	"context"

	"github.com/helve-dev/helve/protocol"
)

// Callbacks checks the callbacks of requests.
type Callbacks interface {
	// Check returns why a callback is refused, as a sentence for the sender of the request.
	Check(ctx context.Context, to *protocol.Callback) error
}

// checkCallback refuses a request whose callback is not possible, before any of its calls is
// accepted.
func (s *Service) checkCallback(ctx context.Context, to *protocol.Callback) error {
	switch {
	case to == nil:
		return nil
	case s.Callbacks == nil:
		return missing("callbacks")
	}
	if err := s.Callbacks.Check(ctx, to); err != nil {
		return BadRequest("%v", err)
	}
	return nil
}

// maxCallbackHeaders bounds the headers that are read; fewer are accepted.
const maxCallbackHeaders = 100

// callback parses the field callback. Its errors show no value.
func (p *parser) callback() error {
	if p.peek() != '{' {
		return p.not("callback", "an object")
	}
	to := &protocol.Callback{}
	seen := map[string]bool{}
	p.req.Callback = to
	return p.object(func(name []byte) error {
		field := string(name)
		if field != "url" && field != "headers" {
			_, err := p.value()
			return err
		}
		if seen[field] {
			return BadRequest("callback has %q twice", field)
		}
		seen[field] = true
		if field == "headers" && p.peek() != 'n' {
			return p.callbackHeaders(to)
		}
		raw, err := p.value()
		if err == nil && raw[0] != 'n' {
			to.URL, err = textField(raw, "callback.url")
		}
		return err
	})
}

func (p *parser) callbackHeaders(to *protocol.Callback) error {
	if p.peek() != '{' {
		return p.not("callback.headers", "an object")
	}
	to.Headers = map[string]string{}
	return p.object(func(name []byte) error {
		header := string(name)
		raw, err := p.value()
		if err != nil {
			return err
		}
		if _, twice := to.Headers[header]; twice {
			return BadRequest("callback.headers has the header %.40q twice", header)
		}
		if len(to.Headers) == maxCallbackHeaders {
			return BadRequest("callback.headers has more than %d headers", maxCallbackHeaders)
		}
		value, problem := textOf(raw)
		if problem != "" {
			return BadRequest("callback.headers: the value of %.40q %s", header, problem)
		}
		to.Headers[header] = value
		return nil
	})
}
