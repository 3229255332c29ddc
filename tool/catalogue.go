package tool

import "context"

// Catalogue is what the call's agent may use, of all pools and of its tenant's own
// tools. Errors are [*Error].
type Catalogue interface {
	// Search finds tools, best first.
	Search(ctx context.Context, q Search) (Found, error)
	// Lookup returns the tool of a name or alias; false if the agent has none.
	Lookup(name string) (*Definition, bool)
	// Near returns names of tools that are like name, nearest first, at most n.
	Near(name string, n int) []string
	// Groups returns the groups with how each is switched for the call's agent.
	Groups() []GroupState
}

// Search is a question for tools.
type Search struct {
	// Query is words; an empty one finds every tool.
	Query string
	// Category, where set, is the only one looked at, in whatever case.
	Category string
	// Limit is how many are returned, Offset how many are skipped before.
	Limit, Offset int
}

// Found is a page of what was found.
type Found struct {
	Tools []*Definition
	// Total is how many there are on all pages.
	Total int
	// Near says that nothing matched every word: these are the nearest.
	Near bool
}

// GroupState is a group as one agent sees it.
type GroupState struct {
	Name        string   `json:"name"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Enabled     bool     `json:"enabled" doc:"Whether the group's tools can be called now."`
	Default     bool     `json:"default_enabled" doc:"Whether it is on unless somebody switches it."`
	DependsOn   []string `json:"depends_on" doc:"Groups that must be on for it to be."`
	Tools       []string `json:"tools"`
}
