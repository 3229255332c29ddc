package identity

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

func TestTokenAlgorithms(t *testing.T) {
	l := newLocal(t)
	var all []jose.JSONWebKey
	for _, alg := range []jose.SignatureAlgorithm{jose.RS256, jose.PS256, jose.ES256, jose.EdDSA, jose.ES384, jose.RS512} {
		all = append(all, newSigningKey(t, alg, string(alg)))
	}
	l.publish(all...)
	a := l.authenticator(t.Context())
	for _, key := range all {
		alg := jose.SignatureAlgorithm(key.KeyID)
		p, err := a.Identify(t.Context(), "Bearer "+l.token(alg, key, nil, nil))
		if !slices.Contains(algorithms, alg) {
			wantFailure(t, key.KeyID, p, err, 401, "not valid", "")
			continue
		}
		if err != nil || p.Tenant != "t" || p.User != "u" || p.Agent != "" || !slices.Equal(p.Roles, []Role{User}) ||
			p.Name != "token of u" || p.Open {
			t.Errorf("a token signed with %s: %+v, %v", alg, p, err)
		}
	}
	if got := l.count(); got != 1 {
		t.Errorf("the issuer was asked %d times for its keys, want once", got)
	}
}

// Tokens that somebody made who does not have the issuer's key.
func TestForgedTokens(t *testing.T) {
	l := newLocal(t)
	key, evil := newSigningKey(t, jose.RS256, "k1"), newSigningKey(t, jose.RS256, "k1")
	other := newSigningKey(t, jose.RS256, "k2")
	other.Algorithm = string(jose.PS256)
	l.publish(key, other)
	a := l.authenticator(t.Context())
	good := l.token(jose.RS256, key, nil, nil)
	if _, err := a.Identify(t.Context(), "Bearer "+good); err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(key.Public().Key)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(good, ".")
	part := func(v any) string {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return base64.RawURLEncoding.EncodeToString(text)
	}
	admin := part(l.claims(map[string]any{"roles": []string{"admin"}}))
	for what, token := range map[string]string{
		"another's key":             l.token(jose.RS256, evil, nil, nil),
		"its own key in the header": l.token(jose.RS256, evil, nil, &jose.SignerOptions{EmbedJWK: true}),
		"the public key as secret":  l.token(jose.HS256, jose.JSONWebKey{Key: der, KeyID: "k1"}, nil, nil),
		"no algorithm":              part(map[string]string{"alg": "none", "kid": "k1"}) + "." + admin + ".",
		"no algorithm, signed":      part(map[string]string{"alg": "none", "kid": "k1"}) + "." + admin + "." + parts[2],
		"other claims":              parts[0] + "." + admin + "." + parts[2],
		"no signature":              parts[0] + "." + parts[1] + ".",
		"a key for another use":     l.token(jose.RS256, other, nil, nil),
		"a log-out":                 l.token(jose.RS256, key, nil, (&jose.SignerOptions{}).WithType("logout+jwt")),
		"two parts":                 parts[0] + "." + parts[1],
		"no token":                  "abc",
		"its JSON form":             `{"payload":"` + parts[1] + `","protected":"` + parts[0] + `","signature":"` + parts[2] + `"}`,
	} {
		p, err := a.Identify(t.Context(), "Bearer "+token)
		wantFailure(t, what, p, err, 401, "not valid", token)
	}
}

func TestTokenClaims(t *testing.T) {
	l := newLocal(t)
	key := newSigningKey(t, jose.EdDSA, "k1")
	l.publish(key)
	a := l.authenticator(t.Context())
	at := func(d time.Duration) int64 { return l.clock().Add(d).Unix() }
	for what, tt := range map[string]struct {
		changes map[string]any
		status  int // 0 for let in
		want    string
	}{
		"several audiences":       {map[string]any{"aud": []string{"other", "helve"}}, 0, ""},
		"another audience":        {map[string]any{"aud": "other"}, 401, "for the audience"},
		"no audience":             {map[string]any{"aud": nil}, 401, "for the audience"},
		"another issuer":          {map[string]any{"iss": "https://evil.example"}, 401, "not valid"},
		"no issuer":               {map[string]any{"iss": nil}, 401, "not valid"},
		"just expired":            {map[string]any{"exp": at(-29 * time.Second)}, 0, ""},
		"expired":                 {map[string]any{"exp": at(-31 * time.Second)}, 401, "has expired"},
		"never expires":           {map[string]any{"exp": nil}, 401, "never expires"},
		"expires in a word":       {map[string]any{"exp": "never"}, 401, "not valid"},
		"soon valid":              {map[string]any{"nbf": at(29 * time.Second)}, 0, ""},
		"not yet valid":           {map[string]any{"nbf": at(31 * time.Second)}, 401, "not valid"},
		"made in the future":      {map[string]any{"iat": at(31 * time.Second)}, 401, "not valid"},
		"roles in a string":       {map[string]any{"roles": "openid user"}, 0, ""},
		"unknown roles too":       {map[string]any{"roles": []any{"root", 7, "user", "user"}}, 0, ""},
		"unknown roles only":      {map[string]any{"roles": []string{"root"}}, 403, "names no role"},
		"a role in upper case":    {map[string]any{"roles": "USER"}, 403, "names no role"},
		"no roles":                {map[string]any{"roles": nil}, 403, "names no role"},
		"roles as an object":      {map[string]any{"roles": map[string]bool{"user": true}}, 403, "names no role"},
		"no tenant":               {map[string]any{"tenant": nil}, 403, `"tenant" must name the tenant`},
		"a tenant with a dot":     {map[string]any{"tenant": "a.b"}, 403, "must name the tenant"},
		"a tenant that is a list": {map[string]any{"tenant": []string{"t"}}, 403, "must name the tenant"},
		"no user":                 {map[string]any{"sub": nil}, 403, `"sub" must name the user`},
		"an empty user":           {map[string]any{"sub": ""}, 403, "must name the user"},
		"a user with a bar":       {map[string]any{"sub": "auth0|1"}, 403, "auth.user_claim"},
		"nobody":                  {map[string]any{"sub": "_"}, 403, "name another"},
	} {
		p, err := a.Identify(t.Context(), "Bearer "+l.token(jose.EdDSA, key, tt.changes, nil))
		if tt.status != 0 {
			wantFailure(t, what, p, err, tt.status, tt.want, "")
		} else if err != nil || p.Tenant != "t" || p.User != "u" || !slices.Equal(p.Roles, []Role{User}) {
			t.Errorf("%s: %+v, %v, want it to be let in as a user", what, p, err)
		}
	}
}

func TestClaimPaths(t *testing.T) {
	t.Parallel()
	claims := map[string]any{"a": map[string]any{"b": map[string]any{"c": "deep"}, "b.c": "half"}, "https://x.example/r": "url", "d": "flat"}
	for path, want := range map[string]any{
		"d": "flat", "a.b.c": "half", "https://x.example/r": "url", "d.e": nil, "a.x": nil, "": nil, "a.b.c.d": nil, ".": nil,
	} {
		if got := claimAt(claims, path); got != want {
			t.Errorf("claimAt(%q) = %v, want %v", path, got, want)
		}
	}
}

func TestIssuerNeedsItsClaims(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{
		{TenantClaim: "t", UserClaim: "u", RolesClaim: "r"},
		{Audience: "a", UserClaim: "u", RolesClaim: "r"},
		{Audience: "a", TenantClaim: "t", RolesClaim: "r"},
		{Audience: "a", TenantClaim: "t", UserClaim: "u"},
	} {
		o.Issuer = "https://id.example"
		if _, err := New(t.Context(), o); err == nil {
			t.Errorf("New takes %+v", o)
		}
	}
}
