package protocol

// ToolList answers tools.list in Helve's own format.
type ToolList struct {
	Tools      []*Tool     `json:"tools" doc:"The definitions, in a stable order."`
	LoadErrors []LoadError `json:"load_errors" doc:"The entries of tools directories that workers could not load; only on the first page."`
	Next       string      `json:"next,omitempty" doc:"The cursor of the next page, if the request has limit or cursor; absent on the last."`
}

// LoadError is an entry of a tools directory that could not be loaded.
type LoadError struct {
	File   string `json:"file" doc:"The file's name in its directory."`
	Entry  *int   `json:"entry" doc:"The index of the definition in the file, from 0; null means the whole file."`
	Reason string `json:"reason" doc:"The reason in one sentence."`
}

// ToolDetail answers tools.get: the definition, and the versions that live workers
// have.
type ToolDetail struct {
	Tool

	Unavailable string             `json:"unavailable,omitempty" doc:"Why the tool cannot be called now; enabled is then false."`
	Versions    []VersionOnWorkers `json:"versions,omitempty" doc:"The versions that live workers have."`
}

// VersionOnWorkers is one version of a tool and how many live workers have it.
type VersionOnWorkers struct {
	Version string `json:"version" doc:"The version."`
	Hash    string `json:"hash" doc:"The hash of its definition."`
	Workers int    `json:"workers" doc:"The number of live workers that have it."`
}

// GroupList answers groups.list.
type GroupList struct {
	Groups []Group    `json:"groups" doc:"The groups, by name."`
	Stats  GroupStats `json:"stats" doc:"Totals over all groups."`
}

// Group is a set of tools that are enabled and disabled together, as one tenant sees
// it.
type Group struct {
	Name           string   `json:"name" doc:"Its name."`
	Title          string   `json:"title" doc:"Its name for people."`
	Description    string   `json:"description" doc:"A description of its tools."`
	Category       string   `json:"category" doc:"The category of its first tool; empty if it has none."`
	Enabled        bool     `json:"enabled" doc:"true if everybody has it where no agent's record names it."`
	DefaultEnabled bool     `json:"default_enabled" doc:"The value of enabled before any change by an operator."`
	SwitchedOff    bool     `json:"switched_off" doc:"true if it is off for everyone, whatever a record says."`
	DependsOn      []string `json:"depends_on" doc:"The groups that it requires."`
	Tools          []string `json:"tools" doc:"Its tools, by name."`
}

// GroupStats are totals over all groups.
type GroupStats struct {
	Groups           int `json:"total_groups" doc:"The number of groups."`
	Tools            int `json:"total_tools" doc:"The number of tools."`
	EnabledTools     int `json:"enabled_tools" doc:"Tools of enabled groups."`
	EnabledDefault   int `json:"enabled_by_default" doc:"Groups that are enabled before any change by an operator."`
	DisabledDefault  int `json:"disabled_by_default" doc:"Groups that are disabled before any change by an operator."`
	SwitchedOffTools int `json:"switched_off_tools" doc:"Tools of groups that are off for everyone."`
}

// Agent is the record of an agent: the tools it may use. Tools and groups add up, deny
// takes precedence. A name may end in * to match any suffix. Empty lists allow nothing.
type Agent struct {
	Name   string   `json:"agent" doc:"The agent's name."`
	Tools  []string `json:"tools" doc:"Tools it may use, by name or alias."`
	Groups []string `json:"groups" doc:"Groups it may use."`
	Deny   []string `json:"deny" doc:"Tools and groups it may not use."`
}

// Rules returns the record without its name.
func (a Agent) Rules() AgentRules { return AgentRules{Tools: a.Tools, Groups: a.Groups, Deny: a.Deny} }

// AgentRules is an agent's record without its name.
type AgentRules struct {
	Tools  []string `json:"tools" doc:"Tools it may use, by name or alias."`
	Groups []string `json:"groups" doc:"Groups it may use."`
	Deny   []string `json:"deny" doc:"Tools and groups it may not use."`
}

// AgentList answers agents.list.
type AgentList struct {
	Agents []Agent `json:"agents" doc:"The records, by name."`
}

// Of returns the record as the record of the named agent.
func (r AgentRules) Of(agent string) Agent {
	return Agent{Name: agent, Tools: r.Tools, Groups: r.Groups, Deny: r.Deny}
}

// Normal returns a deep copy of r whose empty lists encode as [] and not as null.
func (r AgentRules) Normal() AgentRules {
	copied := func(list []string) []string { return append([]string{}, list...) }
	return AgentRules{Tools: copied(r.Tools), Groups: copied(r.Groups), Deny: copied(r.Deny)}
}
