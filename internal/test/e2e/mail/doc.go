// Package mail tests the tools of email on whole systems, against the mail servers that
// people run: Postfix takes the mails, and Dovecot keeps the mailboxes.
//
// The tests start both in a directory of their own, on free ports of loopback, with TLS by a
// certificate authority of the test. Postfix has no way out: mails to other domains come back
// as bounces. They need root, postfix, dovecot-imapd and dovecot-lmtpd, and are skipped
// without; with HELVE_TEST_MAIL they fail instead.
package mail
