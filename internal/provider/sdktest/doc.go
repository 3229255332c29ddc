// Package sdktest holds package provider against the official SDKs of the providers:
// what is written passes through their types without loss and through their clients to
// a server that speaks the provider's protocol, and what their models answer is read.
//
// It has tests only, and a module of its own because the SDKs take longer to build
// than everything they are compared with: `go test ./...` is run in here. It does not reach a provider, so it says
// nothing of what a provider's own checks refuse: provider's restrictions_test.go does.
package sdktest
