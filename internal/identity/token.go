package identity

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// leeway is how far the issuer's clock may be off.
const leeway = 30 * time.Second

// algorithms are what a token may be signed with. None of them takes a secret,
// so that a public key can never pass for one, and none is "none".
var algorithms = []jose.SignatureAlgorithm{jose.RS256, jose.PS256, jose.ES256, jose.EdDSA}

// tokens takes the tokens of an issuer.
type tokens struct {
	issuer              *issuer
	audience            string
	tenant, user, roles string // claims
}

// identify returns who a token speaks for. What is wrong with a token is told
// once its signature is known to be right.
func (t *tokens) identify(ctx context.Context, token string, now time.Time) (Principal, error) {
	signed, err := jwt.ParseSigned(token, algorithms)
	if err != nil || !isAccess(signed.Headers[0]) {
		return Principal{}, errToken()
	}
	keys, err := t.issuer.keys(ctx, signed.Headers[0].KeyID)
	if err != nil {
		return Principal{}, err
	}
	std, all, ok := verify(signed, keys)
	if !ok {
		return Principal{}, errToken()
	}
	switch err := std.ValidateWithLeeway(jwt.Expected{Issuer: t.issuer.url, AnyAudience: jwt.Audience{t.audience}, Time: now}, leeway); {
	case std.Expiry == nil:
		return Principal{}, unauthenticated("the token never expires; get one with the claim exp")
	case err == jwt.ErrExpired: //nolint:errorlint // the package returns it bare
		return Principal{}, unauthenticated("the token has expired; get a new one")
	case err == jwt.ErrInvalidAudience: //nolint:errorlint // as above
		return Principal{}, unauthenticated("the token is not made for this server; get one for the audience %.100q", t.audience)
	case err != nil:
		return Principal{}, errToken()
	}
	return t.principal(all)
}

// errToken is all that is said of a token without a right signature.
func errToken() error {
	return unauthenticated("the token is not valid; get a new one from the issuer this server trusts")
}

// isAccess tells the tokens that let in from those that say other things, such
// as that somebody has logged out.
func isAccess(header jose.Header) bool {
	kind, _ := header.ExtraHeaders[jose.HeaderType].(string)
	kind = strings.TrimPrefix(strings.ToLower(kind), "application/")
	return kind == "" || kind == "jwt" || kind == "at+jwt"
}

// verify tries the issuer's keys. Keys that a token brings along are ignored.
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

// principal reads the claims of a token that counts. Each must be there: a
// principal without a user could name any.
func (t *tokens) principal(claims map[string]any) (Principal, error) {
	p := Principal{}
	for _, c := range []struct {
		what, claim string
		name        *string
	}{{"tenant", t.tenant, &p.Tenant}, {"user", t.user, &p.User}} {
		text, _ := claimAt(claims, c.claim).(string)
		if !nameForm.MatchString(text) {
			return Principal{}, forbidden("the token's claim %.100q must name the %s in 1 to 64 letters, digits, - and _; have the issuer add it, or set auth.%s_claim to another", c.claim, c.what, c.what)
		}
		*c.name = text
	}
	p.Name = "token of " + p.User
	for _, name := range texts(claimAt(claims, t.roles)) {
		if role := Role(name); slices.Contains(Roles(), role) && !p.Has(role) {
			p.Roles = append(p.Roles, role)
		}
	}
	if len(p.Roles) == 0 {
		return Principal{}, forbidden("the token's claim %.100q names no role this server knows; have the issuer add some of %v", t.roles, Roles())
	}
	return p, nil
}

// claimAt returns the claim of that name, or else the one at the end of that
// path: names can have dots too, as URLs do.
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

// texts reads a list of strings, or one string with spaces between them.
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
