// Package js runs JavaScript tools on goja: those of operators in the worker
// process, those of models in the child processes of internal/sandbox, both by
// the same [Run] and with the same bridges.
//
// It promises a fresh runtime for each call, so that nothing one call leaves
// behind is seen by another; that a script reaches the world only through the
// [Host] of its task; that every Run ends with a value or a *tool.Error, also
// when the script throws, loops, never settles or makes goja panic; that a
// failure has a kind other than execution_error only if the host or the end of
// the context is its reason; that to compile a source takes little stack and a
// time about proportional to its length; and that no name, path or value of the
// Go side is visible to a script.
//
// It does not promise to bound memory, nor to stop a script inside one long
// native operation (a regular expression, String.repeat, a huge BigInt), nor to
// survive one that recurses natively without end (flat of an array that holds
// itself, a generator that delegates to itself, eval of brackets by the
// million): goja cannot interrupt these, and the last kind ends the process. A
// getter in place of the name of a built-in function can make goja lock itself
// up when it is interrupted. For what a model wrote all that is the cage's part,
// and a script of an operator is trusted not to.
package js
