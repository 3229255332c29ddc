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
	return p.asked(p.request(func(auth string) (*oauth2.Token, error) {
		return p.config(redirect, auth).Exchange(p.context(ctx), code, oauth2.VerifierOption(verifier))
	}))
}

// asked adds the requested scopes to new tokens whose provider names none: they are the
// same then (RFC 6749, 5.1).
func (p *Provider) asked(t Token, err error) (Token, error) {
	if err == nil && t.Scopes == "" {
		t.Scopes = strings.Join(p.Scopes, " ")
	}
	return t, err
}

// Renew returns new tokens for a refresh token. If the provider issues no new refresh token,
// the token has the old one. Scopes is empty if the provider names none: they are those of
// the tokens before.
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
	t := Token{Access: got.AccessToken, Refresh: got.RefreshToken, Type: got.TokenType, TokenAuth: auth}
	t.Scopes, _ = got.Extra("scope").(string) // some providers write a list
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
