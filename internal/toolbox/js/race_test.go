//go:build race

package js

// raced reports that the race detector is enabled, with which a script is ten times
// slower.
const raced = true
