// Package cli implements the client commands: each command is one request to a running
// Helve server, made with package client. Only an export of the audit trail can be
// checked without a server.
//
// It promises its exit codes: 0 success, 1 the server answered with an error or a call
// is not done, 2 usage error, 3 the server cannot be reached. Standard output has
// results only; messages go to standard error and include a remedy. With --json
// standard output is one line of JSON in the form of the protocol.
//
// It does not promise a stable layout of text output. On a terminal tools cannot
// control the output: control characters are replaced.
package cli
