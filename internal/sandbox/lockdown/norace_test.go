//go:build !race

package lockdown

// raced says that the tests are linked with cgo, as the race detector wants it.
const raced = false
