// Package js runs JavaScript tools on goja: operators' tools in the worker process,
// models' tools in the child processes of internal/toolbox/sandbox, both with the same [Run]
// and the same bridges.
//
// It promises a fresh runtime for each call, so that no call sees state of another;
// that a script reaches the world only through the [Host] of its task; that every Run
// ends with a value or a *tool.Error, even if the script throws, loops, never settles
// or makes goja panic; that a failure has a kind other than execution_error only if the
// host or the end of the context caused it; that compiling a source takes little stack
// and time roughly proportional to its length; and that no name, path or value of the
// Go side is visible to a script.
//
// A run of a program ([Durable], [OpNext]) also promises that it does the same whenever it is
// given the same events: it has no timers, no clock, no randomness and no request of its own.
// That holds for one version of Helve on one kind of processor; the keeper of the
// journal compares the steps, and ends a program that makes others.
//
// It does not promise to limit memory, except for single operations of an operator's
// script in functions that allocate by a number, however the script reaches them
// (bounds.go); texts that grow by + or replace are not limited. It does not promise to
// stop a script inside one long native operation (a regular expression, a huge BigInt, the
// text of an array that nests a hundred thousand deep): goja cannot interrupt these. Native
// recursion is bounded where a script can begin it with little (recursion.go, nesting.go,
// json.go); a chain of millions of classes or regular groups, which takes gigabytes, is not.
// A getter in place of a built-in
// function can deadlock goja when it is interrupted. For models' code the sandbox
// handles all of this; operators' scripts are trusted not to do it.
package js
