// Package javascript holds tools in JavaScript to learn from, which
// docs/javascript.md walks through: in tools a single one, a group and what they
// share, in dynamic one that a model could have made.
//
// Its tests run each of them against a local server, as a worker would, and hold
// the page to the files. There is no code in Go to import.
package javascript
