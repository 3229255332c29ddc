// Package dockertest provides a Docker engine for tests. [Genuine] is a real one, which
// the environment names. [Engine] imitates the protocol of one on a socket, with
// attached streams and all, so that a test can have an engine that hangs, refuses or
// dies at a given request. It runs a Go function where an engine runs a container: it
// starts no command and has no files, users or limits, so nothing that a container sees
// can be tested on it.
package dockertest
