// Package dockertest is a Docker engine for tests: it speaks the engine's protocol
// on a socket, with attached streams and all, and runs a Go function where an engine
// would run a container. It promises the part of the protocol that Helve uses, and
// that it confines nothing.
package dockertest
