package oauth

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// Kinds of tokens for Revoke.
const (
	AccessToken  = "access_token"
	RefreshToken = "refresh_token"
)

// Revoke ends a token (RFC 7009). Auth is the way of authentication that the provider has
// accepted before.
func (p *Provider) Revoke(ctx context.Context, token, kind, auth string) error {
	if p.Revocation == "" {
		return tool.Fail(tool.Unsupported,
			"%s has no address at which tokens are revoked: the person removes Helve in the settings of their account there", p.Title)
	}
	form := url.Values{"token": {token}, "token_type_hint": {kind}}
	if auth == Post || p.Secret == "" {
		form.Set("client_id", p.ClientID)
	}
	if auth == Post && p.Secret != "" {
		form.Set("client_secret", p.Secret)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.Revocation, strings.NewReader(form.Encode()))
	if err != nil {
		return tool.Fail(tool.NotConfigured, "revocation_url of %s cannot be used; an admin sets it with helve config set", p.Title)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	if auth != Post && p.Secret != "" {
		req.SetBasicAuth(url.QueryEscape(p.ClientID), url.QueryEscape(p.Secret))
	}
	resp, err := p.HTTP.Do(req)
	if err != nil {
		return p.failure(err)
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxAnswer)) // the connection is used again
	if resp.StatusCode >= 200 && resp.StatusCode < 300 {
		return nil
	}
	return p.refused(&Refusal{Status: resp.StatusCode}, resp.Header)
}
