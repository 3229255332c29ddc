package dynamic

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/internal/toolbox/dynamic/permission"
	"github.com/helve-dev/helve/tool"
)

const (
	// group is the group of all dynamic tools, and category the default of their category.
	group    = "custom"
	category = "Custom"
	// timeoutSeconds is the maximum duration of a dynamic tool.
	timeoutSeconds = 30
)

// Definition returns the public definition of a custom tool. Its risk follows from the
// permissions of its code; its author may have raised it.
func Definition(t *tool.CustomTool) tool.Definition {
	has := func(p string) bool { return slices.Contains(t.Permissions, p) }
	def := tool.Definition{
		Name: t.Name, Description: t.Description, Category: cmp.Or(t.Category, category), Group: group,
		Version: strconv.Itoa(t.Version), Parameters: t.Parameters, Risk: tool.Low, Confirmation: tool.ConfirmIfDestructive,
		RequiredPermissions: []string{}, Tags: []string{}, TimeoutSeconds: cmp.Or(t.Limits.TimeoutSeconds, timeoutSeconds), Pool: "default",
		Kind: tool.KindDynamic, Enabled: t.Enabled,
		Scopes: tool.Scopes{Paths: []string{}, Hosts: []string{}, Apps: []string{}},
	}
	if t.Durable {
		def.Durable, def.Tools, def.TimeoutSeconds = true, append([]string{}, t.Tools...), cmp.Or(t.TimeoutSeconds, durable.DefaultTime.Seconds())
		def.Risk = higher(def.Risk, t.Risk)
		return def // the rest follows from the tools, as they are when somebody looks
	}
	// A permission beyond the sandbox may change something. Without any permission the code
	// can only compute, and call tools that change nothing.
	def.Mutates = slices.ContainsFunc(t.Permissions, func(p string) bool { return p != permission.Local })
	def.OpenWorld = has(permission.Network) || has(permission.Email)
	switch {
	case has(permission.Shell):
		def.Risk = tool.High
	case has(permission.Email), has(permission.Scheduling), has(permission.Network) &&
		(has(permission.Filesystem) || has(permission.Database)):
		def.Risk = tool.Medium // it can send away the data that it reads
	}
	def.Risk = higher(def.Risk, t.Risk)
	def.Idempotent = !def.Mutates
	if has(permission.Network) {
		def.Scopes.Hosts = append(def.Scopes.Hosts, t.Hosts...)
	}
	if has(permission.Filesystem) {
		def.Scopes.Paths = []string{"workspace"}
	}
	if def.Risk == tool.High {
		def.Scopes.Apps = []string{"sandbox"} // a person cannot agree to a reach without a name
	}
	if has(permission.Shell) {
		def.Scopes.Apps = []string{"*"} // the reach of every tool that it may call
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

// needs returns the ports required to run the tool.
func needs(t *tool.CustomTool) tool.Needs {
	n := tool.NeedTools
	if slices.Contains(t.Permissions, permission.Network) {
		n |= tool.NeedHTTP
	}
	if slices.Contains(t.Permissions, permission.Filesystem) {
		n |= tool.NeedFiles
	}
	if len(t.RequiredAPIKeys) > 0 {
		n |= tool.NeedSecrets
	}
	return n
}
