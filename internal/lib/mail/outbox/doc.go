// Package outbox writes mails and hands them to SMTP servers.
//
// A mail goes to all its recipients or to none: if the server refuses one of them, nothing
// is sent. [Send] distinguishes a mail that was certainly not sent from one whose fate is not
// known, which is the case only if the server is silent, or the connection breaks, after the
// last byte. The Message-ID follows from tenant and call, so such a mail can be searched for.
//
// Every error is a [tool.Error]. That a server has accepted a mail does not promise that it
// arrives: a bounce is a mail to the sender.
package outbox
