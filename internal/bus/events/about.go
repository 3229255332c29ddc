package events

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/protocol"
)

// About names the call that an event is about.
type About struct {
	Tenant, TraceID, CallID, Tool string
	Owner                         *protocol.Owner
}

// AboutCall returns the fields that name a call in its events.
func AboutCall(e *call.Call) About {
	return About{Tenant: e.Tenant, TraceID: e.TraceID, CallID: e.ID, Tool: e.Tool, Owner: e.Owner()}
}

// appendOwner appends the member "owner" of an event, with a comma in front.
func appendOwner(buf []byte, o *protocol.Owner) []byte {
	if o == nil {
		return buf
	}
	buf = append(buf, `,"owner":{`...)
	if o.User != "" {
		buf = append(buf, `"user":`...)
		buf, _ = jsontext.AppendQuote(buf, o.User) // it replaces bytes that are not UTF-8
	}
	if o.Agent != "" {
		if o.User != "" {
			buf = append(buf, ',')
		}
		buf = append(buf, `"agent":`...)
		buf, _ = jsontext.AppendQuote(buf, o.Agent)
	}
	return append(buf, '}')
}
