// Package mailbox reads and changes mailboxes over IMAP.
//
// A [Session] is one signed-in connection. Mails have IDs that stay the same in all
// sessions: they name folder, UIDVALIDITY and UID. Lists are newest first, by the order in
// which mails arrived in a folder.
//
// A server is not trusted: everything that it sends is bounded, also the depth of lists,
// which the client library parses recursively. Every error is a [tool.Error].
//
// It does not promise that a mail stays where it is: other programs change mailboxes at any
// time.
package mailbox
