package dispatcher

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/accounts/connect"
	"github.com/helve-dev/helve/internal/accounts/oauth"
	center "github.com/helve-dev/helve/internal/accounts/services"
	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/subject"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/ports/netguard"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// providerTime bounds a request to a provider. It is shorter than the time for which the
// lock of an account is held.
const providerTime = 6 * time.Second

// openAccounts returns the service that connects accounts of people.
func openAccounts(
	life context.Context, cfg config.Config, kit *telemetry.Kit, q *queue.Queue, store *center.Store, t trail.Writer,
) (*connect.Service, error) {
	bucket, err := q.Conn.Bucket(life, queue.BucketConnects)
	if err != nil {
		return nil, err
	}
	return connect.New(connect.Options{
		Store: store, Bucket: bucket, Public: strings.TrimSuffix(cfg.HTTP.PublicURL, "/"), Trail: t, Log: kit.Log,
		Client: func(hosts []string) (*http.Client, func(), error) {
			guard, err := netguard.New(netguard.Options{Allow: append(hosts, cfg.AllowHosts...), HeaderTimeout: providerTime})
			if err != nil {
				return nil, nil, tool.Fail(tool.NotConfigured,
					"an address of the service cannot be used; an admin sets it with helve config set").Because(err)
			}
			return oauth.Client(guard.DoOnce, providerTime), guard.Close, nil
		},
	}), nil
}

// publicURL returns the address of this dispatcher for browsers: that of its listener if no
// other machine can reach it. Empty if the operator must set one.
func publicURL(cfg config.HTTPSection, listener string) string {
	if cfg.PublicURL == "" && identity.Loopback(cfg.Addr) {
		return listener
	}
	return cfg.PublicURL
}

// followAccounts has requests for accounts end when these are connected, and serves
// workers, until life ends.
func (s services) followAccounts(life context.Context, consents *consent.Service) error {
	s.index.Changed = consents.AccountsChanged
	if err := s.bucket.Follow(life, s.index.Change); err != nil {
		return err
	}
	return s.queue.Accounts.Serve(life, s.accounts.Answer)
}

// DeleteAll implements [data.Accounts]. It removes the entries of a person, after the tokens of accounts were revoked.
func (s services) DeleteAll(ctx context.Context, tenant, user string) (int, error) {
	left, accounts, err := s.accounts.DisconnectAll(ctx, tenant, user)
	if err != nil {
		return accounts, err
	}
	if len(left) > 0 {
		what := "the tokens of accounts were removed and not revoked: " + strings.Join(left, ", ")
		if err := s.record(ctx, tenant, user, "services.delete", what); err != nil {
			return accounts, err
		}
	}
	n, err := s.store.DeleteAll(ctx, tenant, user)
	return accounts + n, err
}

// Connect implements [api.Services].
func (s services) Connect(ctx context.Context, at api.ServiceEntry, browser bool) (protocol.Connection, error) {
	begun, err := s.accounts.Begin(ctx, at.Tenant, at.User, at.Service, browser)
	return begun, toldPerson(err)
}

// Confirm implements [api.Services].
func (s services) Confirm(ctx context.Context, at api.ServiceEntry, id, code string) (protocol.Connection, error) {
	done, err := s.accounts.Confirm(ctx, at.Tenant, at.User, at.Service, id, code)
	return done, toldPerson(err)
}

// Connection implements [api.Services].
func (s services) Connection(ctx context.Context, at api.ServiceEntry, id string) (protocol.Connection, error) {
	found, err := s.accounts.Status(ctx, at.Tenant, at.User, at.Service, id)
	return found, toldPerson(err)
}

// connector implements [api.Connector].
type connector struct {
	accounts *connect.Service
	consents *consent.Service
}

// Cookie implements [api.Connector].
func (c connector) Cookie(state string) string { return c.accounts.CookieName(state) }

// Start implements [api.Connector].
func (c connector) Start(ctx context.Context, by identity.Principal, id string) (start api.ConnectStart, err error) {
	if err := person(by); err != nil {
		return start, err
	}
	var target connect.Target
	if connect.IsLink(id) {
		target, err = c.accounts.Opened(ctx, connect.Visitor{Tenant: by.Tenant, User: by.User, Open: by.Open}, id)
	} else {
		target, err = c.consent(ctx, by, id)
	}
	if err != nil {
		return start, toldPerson(err)
	}
	target.Known = by.Tenant != "" && !by.Open
	location, cookie, err := c.accounts.Start(ctx, target)
	if err != nil {
		return start, toldPerson(err)
	}
	return api.ConnectStart{
		Location: location,
		Name:     cookie.Name,
		Cookie:   cookie.Value,
		Path:     cookie.Path,
		Life:     cookie.Life,
		OverTLS:  cookie.Secure,
	}, nil
}

// consent returns the account that a consent requests. For anybody but its person there is
// no such consent.
func (c connector) consent(ctx context.Context, by identity.Principal, id string) (t connect.Target, err error) {
	if by.Tenant == "" {
		return t, unsigned()
	}
	if !subject.IsName(id) {
		return t, consent.NoSuch()
	}
	r, err := c.consents.Get(ctx, by.Tenant, id)
	switch {
	case err != nil:
		return t, err
	case r.Kind != protocol.ConsentAccount || !by.Open && by.User != r.User:
		return t, consent.NoSuch()
	case r.Status != protocol.PendingConsent:
		return t, &consent.Error{Kind: consent.Conflict, Msg: "the request for this account is over: it was " + string(r.Status)}
	}
	return connect.Target{Tenant: r.Tenant, User: r.User, Service: r.Service}, nil
}

// Finish implements [api.Connector].
func (c connector) Finish(ctx context.Context, by identity.Principal, a api.ConnectAnswer) (api.ConnectDone, error) {
	if err := person(by); err != nil {
		return api.ConnectDone{}, err
	}
	if by.Tenant == "" && a.Cookie == "" {
		return api.ConnectDone{}, unsigned()
	}
	bringer := connect.Bringer{Tenant: by.Tenant, User: by.User, Cookie: a.Cookie}
	done, err := c.accounts.Finish(ctx, connect.Answer{State: a.State, Code: a.Code, Issuer: a.Issuer, Error: a.Error}, bringer)
	if errors.Is(err, connect.ErrUnsigned) {
		err = unsigned()
	}
	status := protocol.ConnectionConnected
	if done.Code != "" {
		status = protocol.ConnectionConfirm
	}
	return api.ConnectDone{Service: done.Service, User: done.User, Status: status, Code: done.Code}, toldPerson(err)
}

// person refuses an agent: an account is connected by its person.
func person(by identity.Principal) error {
	if by.Agent != "" {
		return api.Forbidden("the agent %q cannot connect an account of a person: the person must", by.Agent)
	}
	return nil
}

// toldPerson returns an error as people see it who connect an account: what a provider has
// answered concerns them.
func toldPerson(err error) error {
	e, ok := errors.AsType[*tool.Error](err)
	if !ok {
		return err
	}
	switch e.Kind {
	case tool.ExecutionError:
		return api.BadRequest("%s", e.Msg)
	case tool.NetworkError, tool.Timeout:
		return api.Unavailable("%s", e.Msg)
	default:
		return told(err)
	}
}

// unsigned is the error for a browser without a credential where one is needed.
func unsigned() error {
	return &api.RequestError{
		Type:   "unauthenticated",
		Status: http.StatusUnauthorized,
		Msg: "this page needs your own credential, which this browser has not sent; in a terminal, helve config connect SERVICE prints a link " +
			"that needs none",
	}
}
