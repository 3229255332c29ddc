// Package shell holds the tool that runs command lines. It is disabled until an
// operator enables it with an active entry of the service "shell" in the config center,
// for a tenant or for single persons:
//
//   - tenant: acme
//     service: shell
//     data: {enabled: "true"}
//
// It promises that nothing runs before that: the arguments are not examined, and on a
// worker without a config center the tool does not run. A command has the workspace and
// no network. It ends, with all processes it started, when its time is over or its call
// ends, and sees nothing of the worker's environment; the port ([tool.Programs])
// ensures this. Every call is of high risk, so a person is asked and sees the whole
// command line.
//
// It does not promise that a command line is harmless within these limits: it can
// delete the workspace.
package shell

import "github.com/helve-dev/helve/tool"

// Set holds the tools of this package.
var Set = tool.NewSet("Shell", "shell")
