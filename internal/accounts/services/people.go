package services

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/helve-dev/helve/internal/identity/vault"
	"github.com/helve-dev/helve/tool"
)

// Accounts has a dispatcher return a person's account with a valid access token.
type Accounts interface {
	// Ask returns the account as it is stored. Refused is the hash of an access token that
	// the service has refused, empty if none was. The error is a [*tool.Error]; if the person
	// must connect the account, a [*tool.AccountMissing] is in its chain.
	Ask(ctx context.Context, tenant, user, service, refused string) ([]byte, error)
}

// askTime bounds a request for an account, for which several calls may wait.
const askTime = 45 * time.Second

// registration returns the registration of a tenant at a service, or nil.
func (r *Reader) registration(tenant, service string) *Registration {
	r.mu.RLock()
	list := r.entries[group{tenant, "", service}]
	r.mu.RUnlock()
	for _, e := range list {
		if e.at.Label == DefaultLabel && e.clear.Type == typeOAuth2 {
			return r.Registry.registered(service, e.clear)
		}
	}
	return nil
}

// account returns the account of the person, or entries that the person has set.
func (v view) account(ctx context.Context, reg *Registration) ([]tool.ServiceEntry, error) {
	if v.user == "" {
		return nil, tool.Fail(tool.NotConfigured,
			"the service %s has accounts of persons, and this call names none: make the call for a user, who has connected an account (helve "+
				"config connect %s --user USER)",
			reg.Service, reg.Service)
	}
	own, err := v.reader.read(ctx, group{v.tenant, v.user, reg.Service}, tool.Service{})
	if err != nil || len(own) > 0 {
		return own, err
	}
	if s := v.reader.accountOf(v, reg); s != nil && usable(s.clear.Account.Expires, s.clear.Account.Life, time.Now()) {
		e := s.opened.Load()
		if e == nil {
			if e, err = v.reader.open(ctx, s); err != nil {
				return nil, err
			}
		}
		return []tool.ServiceEntry{entryOf(reg, e.Data)}, nil
	}
	e, err := v.ask(ctx, reg, "")
	if err != nil {
		return nil, err
	}
	return []tool.ServiceEntry{e}, nil
}

// accountOf returns the stored account of a person, nil if there is none that was connected
// with this registration.
func (r *Reader) accountOf(v view, reg *Registration) *stored {
	r.mu.RLock()
	list := r.entries[group{v.tenant, v.user, reg.Service}]
	r.mu.RUnlock()
	i := slices.IndexFunc(list, func(e *stored) bool {
		return e.at.Label == DefaultLabel && e.clear.Type == typeAccount && e.clear.Active && e.clear.Account != nil &&
			e.clear.Account.Registration == reg.ID
	})
	if i < 0 {
		return nil
	}
	return list[i]
}

// Refresh implements [tool.Refresher].
func (v view) Refresh(ctx context.Context, service string, refused tool.ServiceEntry) (tool.ServiceEntry, bool, error) {
	reg, token := v.reader.registration(v.tenant, service), refused.Data[tool.AccessToken]
	if reg == nil || v.user == "" || token == "" || !refused.Shared { // the person has set it
		return tool.ServiceEntry{}, false, nil
	}
	e, err := v.ask(ctx, reg, HashOf(token))
	return e, err == nil, err
}

// ask requests the account of the person from a dispatcher: one request for all calls of
// this process that need it now.
func (v view) ask(ctx context.Context, reg *Registration, refused string) (tool.ServiceEntry, error) {
	if v.reader.Accounts == nil {
		return tool.ServiceEntry{}, tool.Fail(tool.NotConfigured,
			"this worker cannot use accounts of persons, such as that of %s: the operator runs the tool on a worker that is not a person's own "+
				"and has --secrets-key",
			reg.Service)
	}
	key := fmt.Sprintf("%s/%s/%s/%s", v.tenant, v.user, reg.Service, refused)
	got := v.reader.asking.DoChan(key, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTime)
		defer cancel()
		return v.reader.Accounts.Ask(ctx, v.tenant, v.user, reg.Service, refused)
	})
	select {
	case <-ctx.Done():
		return tool.ServiceEntry{}, context.Cause(ctx)
	case res := <-got:
		value, ok := res.Val.([]byte)
		if res.Err != nil || !ok {
			return tool.ServiceEntry{}, res.Err
		}
		return v.reader.opened(ctx, accountAt(v.tenant, v.user, reg.Service), value, reg)
	}
}

// opened returns the entry of an account in the bytes that a dispatcher has returned.
func (r *Reader) opened(ctx context.Context, at vault.Place, value []byte, reg *Registration) (tool.ServiceEntry, error) {
	s := &stored{at: at, value: value}
	var err error
	if _, s.clear, err = read(value); err != nil || s.clear.Type != typeAccount || s.clear.Account == nil ||
		s.clear.Account.Registration != reg.ID {
		return tool.ServiceEntry{}, tool.Fail(tool.Overloaded, "the registration of the service %s is being changed; try again",
			reg.Service).Because(err)
	}
	e, err := r.open(ctx, s)
	if err != nil {
		return tool.ServiceEntry{}, err
	}
	return entryOf(reg, e.Data), nil
}

// entryOf returns what a tool gets of an account: the values of the registration that are
// not secret, and the access token. Its addresses are those that an admin has set.
func entryOf(reg *Registration, account map[string]string) tool.ServiceEntry {
	data := maps.Clone(reg.Values)
	maps.Copy(data, account)
	delete(data, fieldRefreshToken)
	return tool.ServiceEntry{Label: DefaultLabel, Default: true, Active: true, Shared: true, Data: data}
}
