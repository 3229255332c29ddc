package tool

import "context"

// Catalogue lists the tools that the call's agent may use, in all pools and including
// its tenant's own tools. Errors are [*Error].
type Catalogue interface {
	// Search returns the tools that match q, best first.
	Search(ctx context.Context, q Search) (Found, error)
	// Lookup returns the tool with a name or alias; false if the agent has none.
	Lookup(name string) (*Definition, bool)
	// Near returns at most n names similar to name, nearest first.
	Near(name string, n int) []string
	// Groups returns the groups and how each is switched for the call's agent.
	Groups() []GroupState
}

// Search is a query for tools.
type Search struct {
	// Query is a list of words; an empty query matches every tool.
	Query string
	// Category, if set, restricts the search to one category. Case is ignored.
	Category string
	// Limit is the number of tools to return, Offset the number to skip before them.
	Limit, Offset int
}

// Found is one page of search results.
type Found struct {
	Tools []*Definition
	// Total is the number of results on all pages.
	Total int
	// Near is set if no tool matched every word: these are the nearest.
	Near bool
}

// GroupState is a group's state for one agent.
type GroupState struct {
	Name        string   `json:"name"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Enabled     bool     `json:"enabled" doc:"Whether the group's tools can be called now."`
	Default     bool     `json:"default_enabled" doc:"Whether it is on unless somebody switches it."`
	DependsOn   []string `json:"depends_on" doc:"Groups that must be on for it to be."`
	Tools       []string `json:"tools"`
}
