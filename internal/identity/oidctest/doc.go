// Package oidctest tests packages identity and oauth against an OpenID Connect issuer written
// by others: the certified one of zitadel/oidc, over HTTP, with its own discovery, keys,
// tokens, sign-in and device pages.
//
// It has tests only, and is a module of its own because of the issuer's dependencies:
// run `go test ./...` in this directory.
package oidctest
