// Package dynamic keeps the tools that models write, and runs them in the cage.
//
// A dynamic tool is a [tool.CustomTool]: a name, a schema, the body of a function
// and what it may do. The [Registry] stores it for its tenant where every worker
// sees it, and makes of it a tool that is called like any other.
//
// It promises that a tool made through one worker is known to the others as soon
// as the store tells them; that a tool is of one tenant and seen by no other;
// that what the code may reach follows from the permissions that a person was
// shown, and nothing else; and that code is compiled and run nowhere but in a
// locked-down child. It does not promise that the code is any good.
package dynamic
