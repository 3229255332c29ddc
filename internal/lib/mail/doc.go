// Package mail connects to the mail servers that entries of the services smtp and imap
// describe.
//
// A connection goes through the guarded [tool.Dialer] of a call. It is encrypted unless the
// entry says otherwise, certificates are verified, and credentials never cross it
// unencrypted. Each read and write has a time limit, what a server may send is bounded, and
// the end of the context closes the connection.
//
// An access token of a person's account that the server refuses is replaced once, before
// anything else was done; see [SignIn].
//
// Every error is a [tool.Error] that names the server, and shows no credentials.
//
// Nothing proves the identity of a server but its certificate.
package mail
