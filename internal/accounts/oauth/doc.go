// Package oauth is the client's side of OAuth 2.1 towards one provider: its metadata, the
// authorization request, and the requests to its token, revocation and device endpoints.
// The library golang.org/x/oauth2 writes and reads the messages.
//
// # What it promises
//
// Each authorization request has PKCE with S256 (RFC 7636). Metadata (RFC 8414, or OpenID
// Connect discovery) is used only if it names the issuer it was requested for, and the
// parameter iss of an answer (RFC 9207) is checked by [Provider.CheckIssuer]. Addresses are
// https, or http on this machine. Nothing is followed to another address. Every error is a
// [tool.Error] without tokens, codes and secrets; a [*Refusal] in its chain has the
// provider's error code.
//
// # What it does not promise
//
// It keeps nothing: states, tokens and locks are the caller's. It does not read ID tokens,
// so it does not know who the person is at the provider; package identity reads them.
package oauth
