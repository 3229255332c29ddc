package identity

import (
	"context"
	"crypto/subtle"
)

// IDToken returns the principal of an ID token that the issuer has made for this client,
// in the sign-in with this nonce. The claims that name tenant, user and roles are those of
// other tokens. Its error is a [*Failure].
func (a *Authenticator) IDToken(ctx context.Context, token, client, nonce string) (Principal, error) {
	if a == nil || a.tokens == nil || len(token) > maxCredential {
		return Principal{}, errToken()
	}
	std, all, err := a.tokens.read(ctx, token, client, a.now())
	if err != nil {
		return Principal{}, err
	}
	got, _ := all["nonce"].(string)
	if nonce == "" || subtle.ConstantTimeCompare([]byte(got), []byte(nonce)) != 1 {
		return Principal{}, errToken()
	}
	// A token for several audiences names the party that requested it.
	party, named := all["azp"].(string)
	if named && party != client || !named && len(std.Audience) > 1 {
		return Principal{}, errToken()
	}
	return a.tokens.principal(all)
}
