//go:build !race

package confine

// raced reports that the tests are linked with cgo, as the race detector requires.
const raced = false
