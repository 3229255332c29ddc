//go:build race

package js

// raced says that the race detector is on, under which a script is ten times slower.
const raced = true
