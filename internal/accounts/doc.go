// Package accounts has the accounts that calls use at services: entries that operators and
// people store, accounts that people connect, and OAuth towards their providers.
//
// It promises that a secret is stored encrypted, is shown to nobody, and leaves only for the
// service that its entry names. It does not decide who may use an account: that is the gate.
package accounts
