package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Needs is the set of ports that a tool's Call must carry.
type Needs uint16

// The ports that a tool may request. Clock and Events are always set.
const (
	NeedFiles Needs = 1 << iota
	NeedHTTP
	NeedTools
	NeedSecrets
	NeedCustomTools
	NeedPrograms
	NeedContainers
	NeedDesktop
	NeedCatalogue
	NeedFonts
	NeedStore
	NeedCache
	NeedSchedules
	NeedDialer
	NeedDurable
)

// Has reports whether n asks for all of want.
func (n Needs) Has(want Needs) bool { return n&want == want }

// HTTP sends requests to external hosts. It refuses addresses that the operator has not
// allowed (permission_denied), follows at most 10 redirects, each checked again, and
// adds no credentials of its own.
type HTTP interface {
	Do(req *http.Request) (*http.Response, error)
}

// Dialer opens TCP connections to mail servers outside. It refuses addresses as [HTTP]
// does, and every port that is not one of mail.
type Dialer interface {
	DialContext(ctx context.Context, network, address string) (net.Conn, error)
}

// Clock returns the time.
type Clock interface {
	Now() time.Time
}

// Events publishes the events of a call to its subscribers. Emit never blocks and never
// fails; a slow subscriber loses events.
type Events interface {
	Emit(kind string, data any)
}

// Tools calls other tools on behalf of the call, through the same gate and for the same
// person and agent.
type Tools interface {
	// Call runs a tool and returns its result. The error is an [*Error] from the tool,
	// the gate, or the limits on nested calls.
	Call(ctx context.Context, name string, args json.RawMessage) (Result, error)
	// Batch runs calls concurrently and independently, as if the caller had made each
	// on its own. It returns one outcome for each call, in their order.
	Batch(ctx context.Context, calls []InnerCall) []InnerOutcome
	// List returns the definitions of the tools that Call would let through.
	List() []Definition
}

// InnerCall is a call that a tool makes.
type InnerCall struct {
	Tool      string
	Arguments json.RawMessage
}

// InnerOutcome is the outcome of an InnerCall: a result or an error.
type InnerOutcome struct {
	Result Result
	Err    *Error
}

// Secrets reads the credentials of the call's tenant and user from the config center.
type Secrets interface {
	// Entries returns the entries of a service, the default entry first; having none is
	// not an error. For a service with accounts of people it is the account of the call's
	// person, with an access token that is valid for a while, or an error for which
	// [MissingAccount] is not nil.
	Entries(ctx context.Context, service string) ([]ServiceEntry, error)
}

// ServiceEntry is one account of a service.
type ServiceEntry struct {
	Label   string `json:"label"`
	Default bool   `json:"default,omitempty"`
	Active  bool   `json:"active"`
	// Shared means that an admin set the entry for everybody in the tenant, or the operator
	// in a file: its addresses may be internal ones ([WithReach]).
	Shared bool              `json:"-"`
	Data   map[string]string `json:"data"` // the service's fields, such as api_key
}

// String returns a text without secrets, for any code that prints the entry.
func (e ServiceEntry) String() string {
	return fmt.Sprintf("%s (%d fields)", e.Label, len(e.Data))
}

// GoString returns String, for %#v.
func (e ServiceEntry) GoString() string { return e.String() }
