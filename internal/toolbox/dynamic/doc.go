// Package dynamic stores the tools that models write, and runs them in the sandbox.
//
// A dynamic tool is a [tool.CustomTool]: a name, a schema, the body of a function and its
// permissions. The [Registry] stores it for its tenant where every worker sees it, and
// makes it a tool that is called like any other.
//
// It promises that a tool made through one worker is known to the others as soon as the
// store notifies them; that a tool belongs to one tenant and is invisible to others; that
// the reach of the code follows only from the permissions that a person was shown; and that
// code is compiled and run only in a locked-down child. It does not promise that the code
// is correct.
package dynamic
