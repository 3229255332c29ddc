package consent

// Filter says which consents of an inbox are wanted. An empty field excludes
// nothing, so the zero Filter is the whole inbox of a tenant.
type Filter struct {
	Status            Status
	User, Agent, Tool string
	// Limit is how many are wanted at most, as the caller asked within its own
	// bounds.
	Limit int
	// Cursor is what the last page said comes next; empty is the first page.
	Cursor string
}
