// Package clitools holds the tools that run command-line programs of the worker's
// machine in the caller's workspace.
//
// # Which programs
//
// The programs of a catalogue and those that an operator configures. Each has a risk
// from 0 to 100. The risk sets the policy, unless the operator sets one: below 40
// allowed, below 80 prompt, from 80 on blocked. Arguments can raise the risk of a call
// (--exec, push --force, a clean). A call whose arguments raise it to 90 is refused,
// unless the operator has set allowed for that program.
//
// # What an operator configures
//
// Entries of the service "cli_tools" in the config center. The label is the tool's
// name; a label that is not in the catalogue defines the operator's own tool.
//
//	policy       allowed, prompt or blocked
//	network      true gives it the network
//	risk         0 to 100
//	program      the program to run, by its name on the worker's PATH; required
//	             for the operator's own tools
//	args         arguments before those of the call, with spaces between
//	description, category
//	version_args arguments that print its version; without them an operator's
//	             own tool is not run for its version
//
// A value that cannot be read blocks the tool. Of several entries with one label the
// first, which is the person's own, takes precedence, except that a policy of blocked
// in any of them applies. The service "npm" may name another registry in its field
// registry.
//
// # Consent
//
// Running a program is a high-risk call, so the gate requires consent for it. Only calls
// whose arguments have a listed form (shapes.go) are of low risk: with them a program of
// the catalogue reads, and neither starts another program, nor writes, nor uses the
// network. The lists are read by the rules of each program; what is not on them needs
// consent, even if it is harmless. Such a run cannot write to the workspace and gets
// arguments and an environment that keep it from settings of the workspace. blocked
// refuses with policy_denied, without asking. To run other calls without consent, an
// operator writes a rule:
//
//	@id("deploys") @allow_high("true")
//	permit (principal, action == Action::"auto_approve", resource == Tool::"run_cli_tool")
//	when { context.arguments.name == "deploy" };
//
// # What it promises
//
// No shell is involved: arguments reach the program unchanged. The port
// ([tool.Programs]) confines the program, gives it a clean environment, and ends every
// process it started. Arguments cannot give a program the network. Output is cut to
// what a model can use, and its full size is reported.
//
// No program is run from a place that tools can write: programs come from the machine, or
// from install_cli_tool, which puts them beside the workspace. Git runs without hooks and
// without settings of the repository that start programs.
//
// # What it does not promise
//
// That a program is harmless to which a person has agreed: files of the workspace can
// configure it, and some programs run code from there. A program with network reaches every host that the
// worker's machine reaches, without the guard of the HTTP port: allow few of them.
package clitools

import "github.com/helve-dev/helve/tool"

// Set holds the tools of this package.
var Set = tool.NewSet("CLI Tools", "cliTools")
