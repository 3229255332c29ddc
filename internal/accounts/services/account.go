package services

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/identity/vault"
	"github.com/helve-dev/helve/tool"
)

// Account is the account of a person at a service, with its tokens.
type Account struct {
	Access, Refresh string
	// Type is the type of the access token, such as Bearer, and Scopes what it is for.
	Type, Scopes string
	// Expires is the time on the clock of the dispatcher that received the token; zero if the
	// provider has named none. Life is the time from then to its end.
	Expires time.Time
	Life    time.Duration
	// TokenAuth is the way in which the provider has accepted Helve at its token endpoint.
	TokenAuth string
	// Registration identifies the registration that the account was connected with: the
	// tokens are sent to no other addresses.
	Registration string
	// Lost is the reason why the person must connect it again; empty while it is usable.
	Lost string
	At   time.Time
	By   string
}

// accountFacts is the part of an account that is neither secret nor shown.
type accountFacts struct {
	Registration string        `json:"registration"`
	Expires      time.Time     `json:"expires,omitzero"`
	Life         time.Duration `json:"life,omitzero"`
	TokenAuth    string        `json:"token_auth,omitempty"`
	Lost         string        `json:"lost,omitempty"`
}

// The fields of an account.
const (
	fieldRefreshToken = "refresh_token"
	fieldTokenType    = "token_type"
	fieldExpiresAt    = "expires_at"
)

// ahead is the time before its end at which a token is replaced. Of a token that lives for less than
// twice as long, the second half of its life is left.
const ahead = time.Minute

// Usable reports whether the access token is valid for a while, by a clock that may be
// wrong.
func (a Account) Usable(now time.Time) bool { return usable(a.Expires, a.Life, now) }

func usable(expires time.Time, life time.Duration, now time.Time) bool {
	margin := ahead
	if life > 0 {
		margin = min(margin, life/2)
	}
	return expires.IsZero() || now.Add(margin).Before(expires)
}

// HashOf returns the hash by which a refused token is named, in hexadecimal.
func HashOf(token string) string {
	sum := sha256.Sum256([]byte("helve refused token\x00" + token))
	return hex.EncodeToString(sum[:16])
}

// accountAt returns the place of a person's account.
func accountAt(tenant, user, service string) vault.Place {
	return vault.Place{Tenant: tenant, User: user, Service: service, Label: DefaultLabel}
}

// Account returns the account of a person and the bytes it is stored as, or nil.
func (s *Store) Account(ctx context.Context, tenant, user, service string) (*Account, []byte, error) {
	at := accountAt(tenant, user, service)
	if err := checkPlace(at); err != nil {
		return nil, nil, err
	}
	value, err := s.Bucket.Get(ctx, keyOf(at))
	if value == nil || err != nil {
		return nil, nil, err
	}
	a, err := openAccount(ctx, s.Keys, at, value)
	if a == nil || err != nil {
		return nil, nil, err
	}
	return a, value, nil
}

// openAccount returns the account in the stored bytes, nil if they are another entry.
func openAccount(ctx context.Context, keys vault.Wrapper, at vault.Place, value []byte) (*Account, error) {
	d, c, err := read(value)
	if err != nil {
		return nil, unsealed(at, err)
	}
	if c.Type != typeAccount {
		return nil, nil
	}
	c, secrets, err := d.open(ctx, keys, at)
	if err != nil {
		return nil, unsealed(at, err)
	}
	if c.Account == nil {
		return nil, unsealed(at, vault.ErrDamaged)
	}
	return &Account{
		Access: secrets[tool.AccessToken], Refresh: secrets[fieldRefreshToken], Type: c.Values[fieldTokenType],
		Scopes: c.Values[FieldScopes], Expires: c.Account.Expires, Life: c.Account.Life, TokenAuth: c.Account.TokenAuth,
		Registration: c.Account.Registration, Lost: c.Account.Lost, At: c.At, By: c.By,
	}, nil
}

// sealAccount returns the bytes of an account.
func (s *Store) sealAccount(ctx context.Context, at vault.Place, a Account) ([]byte, error) {
	c := public{
		Type: typeAccount, Active: a.Lost == "", Values: map[string]string{}, At: a.At, By: a.By,
		Account: &accountFacts{Registration: a.Registration, Expires: a.Expires, Life: a.Life, TokenAuth: a.TokenAuth, Lost: a.Lost},
	}
	for name, value := range map[string]string{FieldScopes: a.Scopes, fieldTokenType: a.Type} {
		if value != "" {
			c.Values[name] = value
		}
	}
	if !a.Expires.IsZero() {
		c.Values[fieldExpiresAt] = a.Expires.UTC().Format(time.RFC3339)
	}
	secrets := map[string]string{tool.AccessToken: a.Access}
	if a.Refresh != "" {
		secrets[fieldRefreshToken] = a.Refresh
	}
	for name := range secrets {
		c.Secrets = append(c.Secrets, name)
	}
	slices.Sort(c.Secrets)
	var d document
	var err error
	if d.Clear, err = json.Marshal(c); err != nil {
		return nil, err
	}
	if d.Sealed, err = vault.Seal(ctx, s.Keys, at, d.Clear, secrets); err != nil {
		return nil, unsealed(at, err)
	}
	return encode(d)
}

// Connect stores an account that a person has connected, whatever was there.
func (s *Store) Connect(ctx context.Context, tenant, user, service string, a Account) error {
	at := accountAt(tenant, user, service)
	if err := checkPlace(at); err != nil {
		return err
	}
	value, err := s.sealAccount(ctx, at, a)
	if err != nil {
		return err
	}
	for range races {
		old, err := s.Bucket.Get(ctx, keyOf(at))
		switch {
		case err != nil:
			return err
		case old == nil:
			err = s.Bucket.Create(ctx, keyOf(at), value)
		default:
			err = s.Bucket.Replace(ctx, keyOf(at), old, value)
		}
		if !errors.Is(err, natsio.ErrExists) {
			return err
		}
	}
	return natsio.ErrExists
}

// Renew stores the new tokens of an account in place of the bytes old, and returns theirs.
// [natsio.ErrExists] means that the account was changed meanwhile.
func (s *Store) Renew(ctx context.Context, tenant, user, service string, old []byte, a Account) ([]byte, error) {
	at := accountAt(tenant, user, service)
	value, err := s.sealAccount(ctx, at, a)
	if err != nil {
		return nil, err
	}
	return value, s.Bucket.Replace(ctx, keyOf(at), old, value)
}

// Drop removes an account whose bytes are still old, and reports whether it did.
func (s *Store) Drop(ctx context.Context, tenant, user, service string, old []byte) (bool, error) {
	return s.Bucket.DeleteIf(ctx, keyOf(accountAt(tenant, user, service)), old)
}

// AccountsOf returns the services at which a person has an account.
func (s *Store) AccountsOf(ctx context.Context, tenant, user string) (names []string, err error) {
	err = s.each(ctx, tenant, Filter{User: user}, func(at vault.Place, value []byte) error {
		if _, c, err := read(value); err == nil && c.Type == typeAccount {
			names = append(names, at.Service)
		}
		return nil
	})
	slices.Sort(names)
	return names, err
}

// IsAccount reports whether the entry default of a person is an account or, without a
// person, that of a tenant a registration.
func (s *Store) IsAccount(ctx context.Context, tenant, user, service string) (bool, error) {
	at := accountAt(tenant, user, service)
	if err := checkPlace(at); err != nil {
		return false, err
	}
	value, err := s.Bucket.Get(ctx, keyOf(at))
	if value == nil || err != nil {
		return false, err
	}
	_, c, err := read(value)
	return err == nil && (c.Type == typeAccount || c.Type == typeOAuth2), nil
}

// noAccount refuses to set an entry in the place of an account, whose tokens would be lost
// without being revoked.
func noAccount(at vault.Place, old []byte) error {
	if old == nil || at.User == "" {
		return nil
	}
	if _, c, err := read(old); err == nil && c.Type == typeAccount {
		return tool.Fail(tool.PermissionDenied, "an account of %s is connected here; disconnect it first: helve config unset %s --user %s",
			at.Service, at.Service, at.User)
	}
	return nil // a value that cannot be read is no account
}

// ofTenantOnly refuses a registration that is not the tenant's only one.
func ofTenantOnly(at vault.Place) error {
	switch {
	case at.User != "":
		return tool.Fail(tool.PermissionDenied,
			"an account of %s is connected by its person, not set: helve config connect %s --user %s; the registration of Helve there is set by "+
				"an admin for the tenant, without user",
			at.Service, at.Service, at.User)
	case at.Label != DefaultLabel:
		return tool.Fail(tool.ValidationError, "the service %s has one registration, with the label %s", at.Service, DefaultLabel)
	}
	return nil
}
