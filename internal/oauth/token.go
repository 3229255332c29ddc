package oauth

import (
	"context"
	"strings"
	"time"
	"unicode"

	"golang.org/x/oauth2"

	"github.com/helve-dev/helve/tool"
)

// maxToken bounds a token, in bytes.
const maxToken = 16 << 10

// Exchange returns the tokens for the code of an answer.
func (p *Provider) Exchange(ctx context.Context, code, verifier, redirect string) (Token, error) {
	return p.request(func(auth string) (*oauth2.Token, error) {
		return p.config(redirect, auth).Exchange(p.context(ctx), code, oauth2.VerifierOption(verifier))
	})
}

// Renew returns new tokens for a refresh token. If the provider issues no new refresh token,
// the token has the old one.
func (p *Provider) Renew(ctx context.Context, refresh string) (Token, error) {
	return p.request(func(auth string) (*oauth2.Token, error) {
		return p.config("", auth).TokenSource(p.context(ctx), &oauth2.Token{RefreshToken: refresh}).Token()
	})
}

// request makes a request to the token endpoint. If it is not known how the provider wants
// Helve to authenticate, and it does not know Helve by one way, it is asked by the other.
func (p *Provider) request(send func(auth string) (*oauth2.Token, error)) (Token, error) {
	auth := p.TokenAuth
	if auth == "" {
		auth = Basic
	}
	got, err := send(auth)
	if p.TokenAuth == "" && p.Secret != "" && unknownClient(err) {
		auth = Post
		got, err = send(auth)
	}
	if err != nil {
		return Token{}, p.failure(err)
	}
	return p.token(got, auth)
}

// token checks what the provider has issued.
func (p *Provider) token(got *oauth2.Token, auth string) (Token, error) {
	t := Token{Access: got.AccessToken, Refresh: got.RefreshToken, Type: got.TokenType, Scopes: strings.Join(p.Scopes, " "), TokenAuth: auth}
	if scope, ok := got.Extra("scope").(string); ok && scope != "" {
		t.Scopes = scope
	}
	t.ID, _ = got.Extra("id_token").(string)
	for _, text := range []string{t.Access, t.Refresh, t.Type, t.Scopes, t.ID} {
		if len(text) > maxToken || strings.ContainsFunc(text, unicode.IsControl) {
			return Token{}, tool.Fail(tool.ExecutionError, "%s answered with a token that cannot be used", p.Title)
		}
	}
	if life := time.Until(got.Expiry); !got.Expiry.IsZero() && life > 0 {
		t.Expires, t.Life = got.Expiry, life.Round(time.Second)
	}
	return t, nil
}
