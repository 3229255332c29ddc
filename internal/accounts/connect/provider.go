package connect

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/helve-dev/helve/internal/accounts/oauth"
	"github.com/helve-dev/helve/internal/accounts/services"
	"github.com/helve-dev/helve/tool"
)

// registered returns the registration of a tenant, or the error for a service without one.
func (s *Service) registered(ctx context.Context, tenant, service string) (*services.Registration, error) {
	reg, err := s.Store.Registration(ctx, tenant, service)
	if err != nil {
		return nil, err
	}
	if _, known := s.Store.Registry.Lookup(service); reg == nil && known {
		return nil, tool.Fail(tool.NotFound,
			"the service %s has no accounts of persons to connect; its entry is set: helve config set %[1]s (helve config services %[1]s has "+
				"its fields)",
			service)
	}
	if reg == nil {
		return nil, tool.Fail(tool.NotFound,
			"Helve is not registered at %s: an admin sets client_id and client_secret (helve config set %s client_id=ID --stdin client_secret; "+
				"for a provider of your own with --type oauth2)",
			service, service)
	}
	return reg, nil
}

// provider returns the provider of a registration, and a function that ends its
// connections. Addresses that the registration does not have are read from the provider's
// metadata.
func (s *Service) provider(ctx context.Context, reg *services.Registration) (*oauth.Provider, func(), error) {
	client, end, err := s.Client(reg.Hosts())
	if err != nil {
		return nil, nil, err
	}
	v := reg.Values
	p := &oauth.Provider{
		Title: reg.Title, Issuer: v[services.FieldIssuer], ClientID: v[services.FieldClientID], Secret: reg.Secret, Scopes: reg.Scopes(),
		Authorization: v[services.FieldAuthorizationURL], Token: v[services.FieldTokenURL], Revocation: v[services.FieldRevocationURL],
		Device: v[services.FieldDeviceURL], UserInfo: v[services.FieldUserInfoURL], TokenAuth: v[services.FieldTokenAuth], HTTP: client,
	}
	p.Params, _ = url.ParseQuery(v[services.FieldParams]) // checked when it was set
	if p.Issuer != "" && (p.Authorization == "" || p.Token == "") {
		m, err := s.known.of(ctx, client, p.Issuer)
		if err != nil {
			end()
			return nil, nil, err
		}
		p.Authorization, p.Token = cmp.Or(p.Authorization, m.Authorization), cmp.Or(p.Token, m.Token)
		p.Revocation, p.Device, p.UserInfo = cmp.Or(p.Revocation, m.Revocation), cmp.Or(p.Device, m.Device), cmp.Or(p.UserInfo, m.UserInfo)
		p.TokenAuth, p.AnswersIssuer = cmp.Or(p.TokenAuth, m.TokenAuth()), m.AnswersIssuer
	}
	return p, end, nil
}

const (
	// metadataLife is the time for which metadata is used before it is read again.
	metadataLife = 10 * time.Minute
	// maxIssuers bounds the issuers whose metadata is kept.
	maxIssuers = 256
)

// metadata keeps what issuers publish. The zero value is ready for use.
type metadata struct {
	mu   sync.Mutex
	kept map[string]published
}

type published struct {
	oauth.Metadata
	at time.Time
}

func (m *metadata) of(ctx context.Context, client *http.Client, issuer string) (oauth.Metadata, error) {
	m.mu.Lock()
	have, ok := m.kept[issuer]
	m.mu.Unlock()
	if ok && time.Since(have.at) < metadataLife {
		return have.Metadata, nil
	}
	got, err := oauth.Discover(ctx, client, issuer)
	if err != nil {
		return got, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept == nil || len(m.kept) >= maxIssuers {
		m.kept = map[string]published{}
	}
	m.kept[issuer] = published{got, time.Now()}
	return got, nil
}
