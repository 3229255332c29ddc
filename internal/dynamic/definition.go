package dynamic

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/helve-dev/helve/tool"
)

const (
	// group is that of all dynamic tools, and category of those that name none.
	group    = "custom"
	category = "Custom"
	// timeoutSeconds is the longest a dynamic tool runs.
	timeoutSeconds = 30
)

// Definition is a custom tool as the outside sees it. How risky it is follows
// from what its code may do; whoever made it may have raised that.
func Definition(t *tool.CustomTool) tool.Definition {
	has := func(p string) bool { return slices.Contains(t.Permissions, p) }
	def := tool.Definition{
		Name: t.Name, Description: t.Description, Category: cmp.Or(t.Category, category), Group: group,
		Version: strconv.Itoa(t.Version), Parameters: t.Parameters, Risk: tool.Low, Confirmation: tool.ConfirmIfDestructive,
		RequiredPermissions: []string{}, Tags: []string{}, TimeoutSeconds: cmp.Or(t.Limits.TimeoutSeconds, timeoutSeconds), Pool: "default",
		Kind: tool.KindDynamic, Enabled: t.Enabled,
		Scopes: tool.Scopes{Paths: []string{}, Hosts: []string{}, Apps: []string{}},
	}
	// Whatever reaches beyond the cage may change something there. Without any
	// permission it can only compute, and ask tools that change nothing.
	def.Mutates = slices.ContainsFunc(t.Permissions, func(p string) bool { return p != Local })
	def.OpenWorld = has(Network) || has(Email)
	switch {
	case has(Shell):
		def.Risk = tool.High
	case has(Email), has(Scheduling):
		def.Risk = tool.Medium
	}
	def.Risk = higher(def.Risk, t.Risk)
	def.Idempotent = !def.Mutates
	if has(Network) {
		def.Scopes.Hosts = append(def.Scopes.Hosts, t.Hosts...)
	}
	if has(Filesystem) {
		def.Scopes.Paths = []string{"workspace"}
	}
	if def.Risk == tool.High {
		def.Scopes.Apps = []string{"sandbox"} // a person cannot agree to a reach that is not named
	}
	if has(Shell) {
		def.Scopes.Apps = []string{"*"} // whatever the tools that it may call run
	}
	return def
}

var ranks = []tool.Risk{tool.Low, tool.Medium, tool.High}

func higher(a, b tool.Risk) tool.Risk {
	if slices.Index(ranks, b) > slices.Index(ranks, a) {
		return b
	}
	return a
}

// needs are the ports that running the tool takes.
func needs(t *tool.CustomTool) tool.Needs {
	n := tool.NeedTools
	if slices.Contains(t.Permissions, Network) {
		n |= tool.NeedHTTP
	}
	if slices.Contains(t.Permissions, Filesystem) {
		n |= tool.NeedFiles
	}
	if len(t.RequiredAPIKeys) > 0 {
		n |= tool.NeedSecrets
	}
	return n
}
