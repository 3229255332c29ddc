package queue

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/protocol"
)

// Owner returns the person for whom the accepted call was made.
func (a *Acceptance) Owner() *protocol.Owner { return &protocol.Owner{User: a.User, Agent: a.Agent} }

// Told names the call that an event is about.
type Told struct {
	Tenant, TraceID, CallID, Tool string
	Owner                         *protocol.Owner
}

// ToldOf returns the fields that name a call in its events.
func ToldOf(e *call.Call) Told {
	return Told{Tenant: e.Tenant, TraceID: e.TraceID, CallID: e.ID, Tool: e.Tool, Owner: e.Owner()}
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
