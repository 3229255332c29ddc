package api

import (
	"context"

	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/protocol"
)

// ServiceEntry identifies an entry of a service; without a user it is the tenant's.
type ServiceEntry struct{ Tenant, User, Service, Label string }

// Services stores the entries of services. Its errors that a caller may see are of type
// [*RequestError].
type Services interface {
	// List returns the services, or one of them, and entries of a tenant: with everybody
	// set all, otherwise those of the user.
	List(ctx context.Context, tenant, user, service string, everybody bool) (protocol.ServiceList, error)
	Set(ctx context.Context, at ServiceEntry, set protocol.ServiceSet) (protocol.StoredService, error)
	// Delete deletes an entry; the tokens of an account are revoked.
	Delete(ctx context.Context, at ServiceEntry) (protocol.ServiceDeleted, error)
	Test(ctx context.Context, at ServiceEntry) (protocol.ServiceTested, error)
	Rotate(ctx context.Context) (protocol.ServicesRotated, error)
	// Connect begins to connect the account of a person, with a browser even if the provider
	// has codes for terminals; Connection returns the status of that.
	Connect(ctx context.Context, at ServiceEntry, browser bool) (protocol.Connection, error)
	// Confirm ends a connection with the code that the person's browser shows.
	Confirm(ctx context.Context, at ServiceEntry, id, code string) (protocol.Connection, error)
	Connection(ctx context.Context, at ServiceEntry, id string) (protocol.Connection, error)
}

// ownerOfEntries returns the person whose entries a request is about; an admin who names
// nobody means the tenant's. An agent may not handle the accounts of its person.
func (s *Service) ownerOfEntries(in Input, named string) (string, error) {
	if s.Services == nil {
		return "", missing("store of services")
	}
	if in.By.Agent != "" {
		return "", Forbidden("the agent %q cannot see or change the accounts of a person: a person must", in.By.Agent)
	}
	return whose(in, named, identity.Admin)
}

func (s *Service) listServices(ctx context.Context, in Input) (Reply, error) {
	return s.servicesOf(ctx, in, "")
}

func (s *Service) getService(ctx context.Context, in Input) (Reply, error) {
	name := in.Params["service"]
	if !validName(name, maxName) {
		return Reply{}, badName("service", name, maxName)
	}
	return s.servicesOf(ctx, in, name)
}

func (s *Service) servicesOf(ctx context.Context, in Input, service string) (Reply, error) {
	user, err := s.ownerOfEntries(in, in.Params["user"])
	if err != nil {
		return Reply{}, err
	}
	list, err := s.Services.List(ctx, in.Tenant, user, service, user == "")
	if err != nil {
		return Reply{}, err
	}
	list.Services, list.Entries = array(list.Services), array(list.Entries)
	return answer(list)
}

// entryOf returns the entry that a request names.
func (s *Service) entryOf(in Input, user string) (at ServiceEntry, err error) {
	at = ServiceEntry{Tenant: in.Tenant, Service: in.Params["service"], Label: in.Params["label"]}
	if at.User, err = s.ownerOfEntries(in, user); err != nil {
		return at, err
	}
	if !validName(at.Service, maxName) {
		return at, badName("service", at.Service, maxName)
	}
	if !validName(at.Label, maxName) {
		return at, badName("label", at.Label, maxName)
	}
	return at, nil
}

func (s *Service) setService(ctx context.Context, in Input) (Reply, error) {
	var body protocol.ServiceSet
	if err := parseSecret(in.Body, &body); err != nil {
		return Reply{}, err
	}
	at, err := s.entryOf(in, body.User)
	if err != nil {
		return Reply{}, err
	}
	entry, err := s.Services.Set(ctx, at, body)
	if err != nil {
		return Reply{}, err
	}
	return answer(entry)
}

// parseSecret is parseBody for a body with secrets: the parser's error, which may contain
// a piece of it, is left out.
func parseSecret(raw []byte, body *protocol.ServiceSet) error {
	if parseBody(raw, body, "") != nil {
		return BadRequest(`the body must be a JSON object like {"fields": {"api_key": "…"}, "active": true}`)
	}
	if len(body.Fields) == 0 && body.Active == nil {
		return BadRequest(`fields is missing: an object like {"api_key": "…"}`)
	}
	return nil
}

func (s *Service) deleteService(ctx context.Context, in Input) (Reply, error) {
	at, err := s.entryOf(in, in.Params["user"])
	if err != nil {
		return Reply{}, err
	}
	done, err := s.Services.Delete(ctx, at)
	if err != nil {
		return Reply{}, err
	}
	return answer(done)
}

func (s *Service) testService(ctx context.Context, in Input) (Reply, error) {
	at, err := s.entryOf(in, in.Params["user"])
	if err != nil {
		return Reply{}, err
	}
	tested, err := s.Services.Test(ctx, at)
	if err != nil {
		return Reply{}, err
	}
	return answer(tested)
}

func (s *Service) rotateServices(ctx context.Context, in Input) (Reply, error) {
	switch {
	case s.Services == nil:
		return Reply{}, missing("store of services")
	case in.Tenant != DefaultTenant:
		return Reply{}, Forbidden("the master key protects the entries of every tenant; ask as an admin of the tenant %s", DefaultTenant)
	}
	done, err := s.Services.Rotate(ctx)
	if err != nil {
		return Reply{}, err
	}
	return answer(done)
}
