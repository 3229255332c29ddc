// Package oidctest tests package identity against an OpenID Connect issuer written by
// others: the certified one of zitadel/oidc, over HTTP, with its own discovery, keys
// and tokens.
//
// It has tests only, and is a module of its own because of the issuer's dependencies:
// run `go test ./...` in this directory.
package oidctest
