package api

import (
	"context"
	"time"

	"github.com/helve-dev/helve/internal/identity"
)

// Connector connects accounts of people through their browsers. Its errors that a caller
// may see are of type [*RequestError].
type Connector interface {
	// Start begins with the id of a consent or of a connection. Without a credential by is
	// zero.
	Start(ctx context.Context, by identity.Principal, id string) (ConnectStart, error)
	// Finish ends it with the answer of a provider, which the browser brings.
	Finish(ctx context.Context, by identity.Principal, answer ConnectAnswer) (ConnectDone, error)
	// Cookie returns the name of the cookie that a browser got for a state.
	Cookie(state string) string
}

// ConnectStart is where a browser goes, and the cookie it gets.
type ConnectStart struct {
	Location   string
	Cookie     string
	Name, Path string
	Life       time.Duration
	OverTLS    bool
}

// ConnectAnswer is the answer of a provider, with the browser's cookie.
type ConnectAnswer struct{ State, Code, Issuer, Error, Cookie string }

// ConnectDone names the account that was connected. With a code, the person must confirm
// that the browser is theirs.
type ConnectDone struct {
	Service string `json:"service"`
	User    string `json:"user"`
	Status  string `json:"status"`
	Code    string `json:"code,omitempty"`
}

// account returns the account that a person begins to connect. Nobody else does: the
// person who agrees at the provider decides whose account it is.
func (s *Service) account(in Input) (at ServiceEntry, err error) {
	if s.Services == nil {
		return at, missing("store of services")
	}
	if in.By.Agent != "" {
		return at, Forbidden("the agent %q cannot connect an account of a person: the person must", in.By.Agent)
	}
	by, err := narrow(in, in.Params["user"], "")
	if err != nil {
		return at, err
	}
	at = ServiceEntry{Tenant: in.Tenant, User: by.User, Service: in.Params["service"], Label: in.Params["label"]}
	switch {
	case at.User == "":
		return at, BadRequest("an account belongs to a person: set user")
	case !in.By.Open && in.By.User != at.User:
		return at, Forbidden("only %s can connect an account of %[1]s, with a credential of their own", at.User)
	case !validName(at.Service, maxName):
		return at, badName("service", at.Service, maxName)
	case at.Label != accountLabel:
		return at, BadRequest("the label of an account is %s", accountLabel)
	}
	return at, nil
}

// accountLabel is the label of each account.
const accountLabel = "default"

func (s *Service) connectService(ctx context.Context, in Input) (Reply, error) {
	at, err := s.account(in)
	if err != nil {
		return Reply{}, err
	}
	if id := in.Params["connection_id"]; id != "" {
		return s.confirmConnection(ctx, at, id, in.Params["code"])
	}
	begun, err := s.Services.Connect(ctx, at, in.Params["browser"] == "true")
	if err != nil {
		return Reply{}, err
	}
	return answer(begun)
}

// confirmConnection ends a connection with the code that the browser shows.
func (s *Service) confirmConnection(ctx context.Context, at ServiceEntry, id, code string) (Reply, error) {
	switch {
	case !validName(id, maxCallID):
		return Reply{}, badName("connection_id", id, maxCallID)
	case code == "" || len(code) > maxName:
		return Reply{}, BadRequest("code is missing; the browser shows it")
	}
	done, err := s.Services.Confirm(ctx, at, id, code)
	if err != nil {
		return Reply{}, err
	}
	return answer(done)
}

func (s *Service) getConnection(ctx context.Context, in Input) (Reply, error) {
	at, err := s.account(in)
	if err != nil {
		return Reply{}, err
	}
	id := in.Params["connection_id"]
	if !validName(id, maxCallID) {
		return Reply{}, badName("connection_id", id, maxCallID)
	}
	found, err := s.Services.Connection(ctx, at, id)
	if err != nil {
		return Reply{}, err
	}
	return answer(found)
}
