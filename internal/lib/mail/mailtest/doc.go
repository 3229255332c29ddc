// Package mailtest runs mail servers on loopback, for tests.
//
// The servers are go-smtp and go-imap's server in memory, with TLS by a certificate authority
// of the test; [Script] plays any other server line by line. They promise nothing beyond the
// protocols: real servers are tried by internal/test/e2e/people.
package mailtest
