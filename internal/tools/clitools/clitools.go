// Package clitools holds the tools that run command-line programs of the worker's
// machine in the caller's workspace.
//
// # Which programs
//
// Those of a catalogue, and those an operator names. Each has a risk from 0 to 100,
// and a policy that follows from it unless the operator sets one: below 40 allowed,
// below 80 prompt, from 80 on blocked. Arguments raise the risk of a call (--exec,
// push --force, a clean): what comes to 90 so is refused, unless the operator has
// written allowed for that program.
//
// # What an operator configures
//
// Entries of the service "cli_tools" in the config center. The label is the tool's
// name; a label that is not in the catalogue is a tool of the operator's own.
//
//	policy       allowed, prompt or blocked
//	network      true lets it reach the network
//	risk         0 to 100
//	program      the program that runs, by its name on the worker's PATH; needed
//	             for a tool of one's own
//	args         arguments before those of the call, with spaces between
//	description, category
//	version_args what makes it print its version; a tool of one's own is not run
//	             for that unless they are given
//
// A value that cannot be read blocks the tool. Of several entries with one label
// the first counts, which is the person's own, and a policy of blocked in any of
// them holds. The service "npm" may name another registry in its field registry.
//
// # Consent
//
// Running a program is of high risk, so the gate asks a person for every call,
// whatever the policy here: a tool cannot tell the gate that a call is of less risk
// than its definition. blocked refuses with policy_denied and without asking. An
// operator who wants allowed programs to run unasked writes a rule:
//
//	@id("read-only-programs") @allow_high("true")
//	permit (principal, action == Action::"auto_approve", resource == Tool::"run_cli_tool")
//	when { context.arguments.name == "jq" || context.arguments.name == "rg" };
//
// # What it promises
//
// No shell is involved: arguments reach the program as they are. What runs is the
// port's business ([tool.Programs]): its confinement, its clean environment, the end
// of whatever it started. A program without network cannot be given one by its
// arguments. Output is cut to what a model can use, and the full size is told.
//
// # What it does not promise
//
// That a program is harmless: the files of a workspace configure it, and some run
// code from there. A program with network reaches whatever the worker's machine
// does, past the guard of the HTTP port: give it to few.
package clitools

import "github.com/helve-dev/helve/tool"

// Set is the tools of this package.
var Set = tool.NewSet("CLI Tools", "cliTools")
