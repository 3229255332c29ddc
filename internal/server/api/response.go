package api

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/dispatch"
)

// AppendResponse appends the JSON answer to execute, with the messages for the model
// unless they are nil. The elements are copied unchanged: they are JSON already, and
// numbers must keep every digit.
func AppendResponse(dst []byte, resp dispatch.Response, messages []byte) []byte {
	size := len(`{"trace_id":"","results":[],"messages":}`) + len(resp.TraceID) + len(messages)
	for _, element := range resp.Results {
		size += len(element) + 1
	}
	if cap(dst)-len(dst) < size {
		dst = append(make([]byte, 0, len(dst)+size), dst...)
	}
	dst = append(dst, `{"trace_id":`...)
	dst, _ = jsontext.AppendQuote(dst, resp.TraceID) // fails only on bad UTF-8, which it replaces
	dst = append(dst, `,"results":[`...)
	for i, element := range resp.Results {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, element...)
	}
	dst = append(dst, ']')
	if messages != nil {
		dst = append(append(dst, `,"messages":`...), messages...)
	}
	return append(dst, '}')
}
