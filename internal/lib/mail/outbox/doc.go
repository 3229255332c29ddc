// Package outbox writes mails and hands them to SMTP servers.
//
// A mail goes to all its recipients or to none: if the server refuses one of them, nothing is sent. [Send]
// distinguishes a mail that was certainly not sent from a mail of unknown fate: the server was silent, or the
// connection broke, after the last byte. The Message-ID follows from tenant and call, so such a mail can be searched
// for.
//
// Every error is a [tool.Error]. That a server has accepted a mail does not promise that it
// arrives: a bounce is a mail to the sender.
package outbox
