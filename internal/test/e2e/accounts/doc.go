// Package accounts tests the accounts of services on whole systems.
//
// It promises that a secret that was set reaches the tools of every worker, and nothing
// else: no answer, record, log line, stream, metric or file.
package accounts
