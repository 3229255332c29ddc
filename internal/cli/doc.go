// Package cli is the command line of people: each command is one request to a
// running Helve, made by package client; only an export of the audit trail is
// checked here, without one.
//
// It promises its exit codes: 0 success, 1 the server answered with an error or
// a call is not done, 2 the command was written wrong, 3 no server can be
// reached. Results go to standard output and nothing else does; messages go to
// standard error and say what to do. With --json standard output is one line of
// JSON in the shape of the protocol.
//
// It promises no stable layout of what is printed for people, and on a terminal
// it does not let tools control it: control characters are replaced.
package cli
