// Package connect tests accounts that people connect at providers, on whole systems: over
// HTTP with cookies and with keys, from terminals, with several dispatchers and workers.
//
// It promises that a call which needs an account waits for it and runs when it is connected,
// that nobody gets or uses the account of another person, and that a token is replaced once
// for a whole fleet. The providers are those of package oauthtest;
// the module internal/identity/oidctest tries the protocol with a provider of others.
package connect
