// Package people tests what belongs to a person on whole systems: keys and rights, decisions,
// accounts, mailboxes and data.
//
// It promises that tenants and persons with keys are separate through each operation, and
// that a dispatcher without authentication is reached from its own host only. A call that
// needs consent runs only after its person granted it or with a token that covers it, and no
// other caller, spelling or repetition gets around that. A call that needs an account waits
// for it and runs when it is connected; nobody gets or uses the account of another person,
// and a token is replaced once for a whole fleet. A secret that was set reaches the tools of
// every worker, and nothing else: no answer, record, log line, stream, metric or file. The
// data of a person is exported, imported and deleted as a whole, and a task that is due makes
// its call once.
//
// The providers of accounts are those of package oauthtest; the module
// internal/identity/oidctest tries the protocol with a provider of others.
//
// The tests of mail run against Postfix and Dovecot, which they start in a directory of their
// own, on free ports of loopback, with TLS by a certificate authority of the test. Postfix has
// no way out: mails to other domains come back as bounces. They need root, postfix,
// dovecot-imapd and dovecot-lmtpd, and are skipped without; with HELVE_TEST_MAIL they fail
// instead.
package people
