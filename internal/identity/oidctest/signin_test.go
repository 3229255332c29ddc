package oidctest

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"testing"

	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/oidc"

	"github.com/helve-dev/helve/internal/accounts/oauth"
	"github.com/helve-dev/helve/internal/identity"
)

// SetUserinfoFromScopes implements op.Storage: the operator has added the claims to ID
// tokens too.
func (store) SetUserinfoFromScopes(_ context.Context, info *oidc.UserInfo, user, _ string, _ []string) error {
	info.Subject = user
	for name, value := range claims {
		info.AppendClaims(name, value)
	}
	return nil
}

// TestSignIn: a person signs in at a conforming issuer by the code flow with PKCE, and its ID
// token names them to this client, in this sign-in only.
func TestSignIn(t *testing.T) {
	storage.RegisterClients(storage.WebClient("console", "secret", redirect))
	address := issuer(t)
	p := provider(t, address, "console")
	p.Scopes, p.Params = []string{"openid"}, url.Values{"nonce": {"the nonce"}}
	verifier := oauth.NewVerifier()
	answer := agree(t, p, address, "the state", verifier)
	token, err := p.Exchange(t.Context(), answer.Get("code"), verifier, redirect)
	if err != nil || token.ID == "" {
		t.Fatalf("Exchange = %+v, %v, want an ID token", token, err)
	}
	auth := open(t, address, "helve")
	by, err := auth.IDToken(t.Context(), token.ID, "console", "the nonce")
	if err != nil || by.Tenant != "acme" || by.User != "id1" || !slices.Equal(by.Roles, []identity.Role{identity.Approver, identity.Auditor}) {
		t.Errorf("IDToken = %+v, %v", by, err)
	}
	for what, tt := range map[string]struct{ token, client, nonce string }{
		"another sign-in": {token.ID, "console", "another"}, "no nonce": {token.ID, "console", ""},
		"another client":  {token.ID, "sid1", "the nonce"},
		"an access token": {token.Access, "console", "the nonce"},
	} {
		var failure *identity.Failure
		if by, err := auth.IDToken(t.Context(), tt.token, tt.client, tt.nonce); !errors.As(err, &failure) {
			t.Errorf("%s: %+v, %v, want that it is refused", what, by, err)
		}
	}
	if by, err := auth.Identify(t.Context(), "Bearer "+token.ID); err == nil {
		t.Errorf("an ID token as a credential is %+v", by)
	}
}
