package identity

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// leeway is the tolerated difference of the issuer's clock.
const leeway = 30 * time.Second

// algorithms are the accepted signature algorithms. None is symmetric, so that a public
// key can never be used as a secret, and none is "none".
var algorithms = []jose.SignatureAlgorithm{jose.RS256, jose.PS256, jose.ES256, jose.EdDSA}

// tokens verifies the tokens of an issuer.
type tokens struct {
	issuer              *issuer
	audience            string
	tenant, user, roles string // claims
}

// identify returns the principal of a token. It reports what is wrong with a token only
// if its signature is valid.
func (t *tokens) identify(ctx context.Context, token string, now time.Time) (Principal, error) {
	_, all, err := t.read(ctx, token, t.audience, now)
	if err != nil {
		return Principal{}, err
	}
	return t.principal(all)
}

// read returns the claims of a valid token for an audience.
func (t *tokens) read(ctx context.Context, token, audience string, now time.Time) (std jwt.Claims, all map[string]any, err error) {
	signed, err := jwt.ParseSigned(token, algorithms)
	if err != nil || !isAccess(signed.Headers[0]) {
		return std, nil, errToken()
	}
	keys, err := t.issuer.keys(ctx, signed.Headers[0].KeyID)
	if err != nil {
		return std, nil, err
	}
	std, all, ok := verify(signed, keys)
	if !ok {
		return std, nil, errToken()
	}
	switch err := std.ValidateWithLeeway(jwt.Expected{Issuer: t.issuer.url, AnyAudience: jwt.Audience{audience}, Time: now}, leeway); {
	case std.Expiry == nil:
		return std, nil, unauthenticated("the token never expires; get one with the claim exp")
	case errors.Is(err, jwt.ErrExpired):
		return std, nil, unauthenticated("the token has expired; get a new one")
	case errors.Is(err, jwt.ErrInvalidAudience):
		return std, nil, unauthenticated("the token is not made for this server; get one for the audience %.100q", audience)
	case err != nil:
		return std, nil, errToken()
	}
	return std, all, nil
}

// errToken is the only error for a token without a valid signature.
func errToken() error {
	return unauthenticated("the token is not valid; get a new one from the issuer this server trusts")
}

// isAccess reports whether a token grants access, as opposed to tokens that state other
// facts, such as a logout.
func isAccess(header jose.Header) bool {
	kind, _ := header.ExtraHeaders[jose.HeaderType].(string)
	kind = strings.TrimPrefix(strings.ToLower(kind), "application/")
	return kind == "" || kind == "jwt" || kind == "at+jwt"
}

// verify tries the issuer's keys. Keys contained in a token are ignored.
func verify(signed *jwt.JSONWebToken, keys keySet) (std jwt.Claims, all map[string]any, ok bool) {
	for _, k := range keys {
		if k.Algorithm != "" && k.Algorithm != signed.Headers[0].Algorithm {
			continue
		}
		std, all = jwt.Claims{}, nil
		if signed.Claims(k.Key, &std, &all) == nil {
			return std, all, true
		}
	}
	return jwt.Claims{}, nil, false
}

// principal returns the principal in the claims of a valid token. Each claim is
// required: a principal without a user could name any.
func (t *tokens) principal(claims map[string]any) (Principal, error) {
	p := Principal{}
	for _, c := range []struct {
		what, claim string
		name        *string
	}{{"tenant", t.tenant, &p.Tenant}, {"user", t.user, &p.User}} {
		text, _ := claimAt(claims, c.claim).(string)
		if !nameForm.MatchString(text) {
			return Principal{}, forbidden("the token's claim %.100q must name the %s in 1 to 64 letters, digits, - and _; "+
				"have the issuer add it, or set auth.%s_claim to another", c.claim, c.what, c.what)
		}
		*c.name = text
	}
	if p.User == Nobody {
		return Principal{}, forbidden("the user %q is reserved for calls without a user; have the issuer name another", Nobody)
	}
	p.Name = "token of " + p.User
	for _, name := range texts(claimAt(claims, t.roles)) {
		if role := Role(name); slices.Contains(Roles(), role) && !p.Has(role) {
			p.Roles = append(p.Roles, role)
		}
	}
	if len(p.Roles) == 0 {
		return Principal{}, forbidden("the token's claim %.100q names no role this server knows; have the issuer add some of %v",
			t.roles, Roles())
	}
	return p, nil
}

// claimAt returns the claim of that name, or else the claim at the end of that path:
// names can contain dots too, as URLs do.
func claimAt(claims map[string]any, path string) any {
	if v, ok := claims[path]; ok {
		return v
	}
	first, rest, deeper := strings.Cut(path, ".")
	if inner, ok := claims[first].(map[string]any); ok && deeper {
		return claimAt(inner, rest)
	}
	return nil
}

// texts parses a list of strings, or one string separated by spaces.
func texts(v any) []string {
	if text, ok := v.(string); ok {
		return strings.Fields(text)
	}
	list, _ := v.([]any)
	var out []string
	for _, item := range list {
		if text, ok := item.(string); ok {
			out = append(out, text)
		}
	}
	return out
}
