package consent

import "github.com/helve-dev/helve/protocol"

// Filter selects consents of an inbox. An empty field excludes nothing, so the zero
// Filter is the whole inbox of a tenant.
type Filter struct {
	Status            protocol.ConsentStatus
	User, Agent, Tool string
	// Limit is the maximum number of consents, as validated by the caller.
	Limit int
	// Cursor is the position returned with the last page; empty is the first page.
	Cursor string
	// Oldest orders from the oldest to the newest.
	Oldest bool
}
