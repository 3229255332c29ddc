// Package shell holds the tool that runs command lines. It is off until an operator
// turns it on, by an active entry of the service "shell" in the config center, for a
// tenant or for single persons:
//
//   - tenant: acme
//     service: shell
//     data: {enabled: "true"}
//
// It promises that nothing runs before: the arguments are not looked at, and a
// worker without a config center has none of it. What runs has the workspace and no
// network, ends with its time or its call together with whatever it started, and
// finds none of the worker's environment; that is the port's work
// ([tool.Programs]). Every call is of high risk, so a person is asked who sees the
// whole command line.
//
// It does not promise that a command line is harmless within those bounds: it can
// delete the workspace.
package shell

import "github.com/helve-dev/helve/tool"

// Set is the tools of this package.
var Set = tool.NewSet("Shell", "shell")
