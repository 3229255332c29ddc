package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// Needs says which ports a tool's Call must carry.
type Needs uint16

// The ports a tool may ask for. Clock and Events are always there.
const (
	NeedFiles Needs = 1 << iota
	NeedHTTP
	NeedTools
	NeedSecrets
	NeedCustomTools
	NeedPrograms
	NeedDocuments
	NeedContainers
	NeedDesktop
	NeedCatalogue
)

// Has reports whether n asks for all of want.
func (n Needs) Has(want Needs) bool { return n&want == want }

// HTTP sends requests to the outside. It refuses addresses the operator has
// not opened (permission_denied), follows no more than 10 redirects, each
// guarded again, and adds no credentials of its own.
type HTTP interface {
	Do(req *http.Request) (*http.Response, error)
}

// Clock tells the time.
type Clock interface {
	Now() time.Time
}

// Events carries what happens during a call to whoever listens. Emit never
// blocks and never fails; a slow listener loses events.
type Events interface {
	Emit(kind string, data any)
}

// Tools calls other tools in the name of the call: through the same gate, as
// the tool that is called, for the same person and agent.
type Tools interface {
	// Call runs a tool and returns its result. The error is an [*Error]: of the
	// tool, of the gate, or of the bounds on such calls.
	Call(ctx context.Context, name string, args json.RawMessage) (Result, error)
	// Batch runs calls at once, each on its own: as if the caller had made them one
	// by one. There is an outcome for each, in their order.
	Batch(ctx context.Context, calls []InnerCall) []InnerOutcome
	// List returns the definitions of those that Call would let through.
	List() []Definition
}

// InnerCall is a call that a tool makes.
type InnerCall struct {
	Tool      string
	Arguments json.RawMessage
}

// InnerOutcome is what came of one: a result, or an error.
type InnerOutcome struct {
	Result Result
	Err    *Error
}

// Secrets answers from the config center what belongs to the call's tenant and
// user.
type Secrets interface {
	// Entries returns the entries of a service, the default one first; none is
	// no error.
	Entries(ctx context.Context, service string) ([]ServiceEntry, error)
}

// ServiceEntry is one account of a service.
type ServiceEntry struct {
	Label   string            `json:"label"`
	Default bool              `json:"default,omitempty"`
	Active  bool              `json:"active"`
	Data    map[string]string `json:"data"` // the service's fields, such as api_key
}

// String shows no secret, whatever prints the entry.
func (e ServiceEntry) String() string {
	return fmt.Sprintf("%s (%d fields)", e.Label, len(e.Data))
}

// GoString is String, for %#v.
func (e ServiceEntry) GoString() string { return e.String() }
