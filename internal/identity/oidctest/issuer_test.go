package oidctest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/op"

	"github.com/helve-dev/helve/internal/identity"
)

// claims are what the issuer's operator has added to its tokens.
var claims = map[string]any{"tenant": "acme", "roles": []string{"approver", "auditor"}}

// store is the issuer's own, whose clients get tokens that can be read.
type store struct {
	*storage.Storage
}

// ClientCredentials implements op.ClientCredentialsStorage.
func (s store) ClientCredentials(ctx context.Context, id, secret string) (op.Client, error) {
	c, err := s.Storage.ClientCredentials(ctx, id, secret)
	return readable{c}, err
}

// GetPrivateClaimsFromScopes implements op.Storage.
func (store) GetPrivateClaimsFromScopes(context.Context, string, string, []string) (map[string]any, error) {
	return claims, nil
}

type readable struct{ op.Client }

// AccessTokenType implements op.Client.
func (readable) AccessTokenType() op.AccessTokenType { return op.AccessTokenTypeJWT }

// issuer starts one, and returns its address.
func issuer(t *testing.T) string {
	t.Helper()
	var handler http.Handler
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	t.Cleanup(s.Close)
	address := strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	handler = exampleop.SetupServer(address+"/", store{storage.NewStorage(storage.NewUserStore(address + "/"))}, nil, false)
	return address + "/"
}

// token gets one from the issuer as a client of it.
func token(t *testing.T, address string) string {
	t.Helper()
	form := url.Values{"grant_type": {"client_credentials"}, "scope": {"openid"}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+"oauth/token", strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.SetBasicAuth("sid1", "verysecret")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var answer struct {
		Token string `json:"access_token"`
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || strings.Count(answer.Token, ".") != 2 {
		t.Fatalf("the issuer answers %s with %+v, %v, want a token", res.Status, answer, err)
	}
	return answer.Token
}

func open(t *testing.T, address, audience string) *identity.Authenticator {
	t.Helper()
	a, err := identity.New(t.Context(), identity.Options{
		Issuer:      address,
		Audience:    audience,
		TenantClaim: "tenant",
		UserClaim:   "sub",
		RolesClaim:  "roles",
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestIssuer(t *testing.T) {
	address := issuer(t)
	text := token(t, address)
	p, err := open(t, address, "sid1").Identify(t.Context(), "Bearer "+text)
	if err != nil || p.Tenant != "acme" || p.User != "sid1" || len(p.Roles) != 2 {
		t.Errorf("a token of the issuer is %+v, %v, want sid1 of acme with two roles", p, err)
	}
	other := issuer(t)
	for what, tt := range map[string]struct{ address, audience, token string }{
		"another audience":       {address, "helve", text},
		"another issuer":         {other, "sid1", text},
		"another issuer's token": {address, "sid1", token(t, other)},
		"a changed signature":    {address, "sid1", text[:len(text)-8] + strings.Repeat("A", 8)},
	} {
		var failure *identity.Failure
		if p, err := open(t, tt.address, tt.audience).Identify(t.Context(), "Bearer "+tt.token); !errors.As(err, &failure) {
			t.Errorf("%s: %+v, %v, want that it is refused", what, p, err)
		}
	}
}
