// Package javascript holds example tools in JavaScript, which docs/javascript.md
// explains: in tools a single tool, a group and a shared library, in dynamic a tool as
// a model could have written it.
//
// Its tests run each of them against a local server, as a worker would, and compare the
// page with the files. There is no Go code to import.
package javascript
