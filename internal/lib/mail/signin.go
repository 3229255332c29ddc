package mail

import (
	"context"
	"errors"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// SignIn returns the session of open, which connects to a server and signs in. If the server
// refuses the access token of a person's account, the token may have ended early: open is
// called once more, with a new token.
func SignIn[S any](ctx context.Context, s *Server, open func(s *Server) (S, error)) (S, error) {
	session, err := open(s)
	if _, refused := errors.AsType[*refusal](err); !refused {
		return session, err
	}
	next, renewed, failed := s.renewed(ctx)
	switch {
	case failed != nil:
		return session, failed
	case !renewed:
		return session, err
	}
	return open(next)
}

// renewed returns the server with a new access token, if the account is a person's.
func (s *Server) renewed(ctx context.Context) (*Server, bool, error) {
	if s.account == "" {
		return nil, false, nil
	}
	e, ok, err := tool.RefreshEntry(ctx, s.secrets, s.account, s.entry)
	token := strings.TrimSpace(e.Data[tool.AccessToken])
	if err != nil || !ok || token == "" {
		return nil, false, err
	}
	next := *s
	next.password, next.entry = token, e
	return &next, true, nil
}

// refusal is in the chain of the error of a server that refused the credentials.
type refusal struct{ cause error }

// Error returns the text of the cause.
func (r *refusal) Error() string {
	if r.cause == nil {
		return "the credentials were refused"
	}
	return r.cause.Error()
}

// Unwrap returns the cause.
func (r *refusal) Unwrap() error { return r.cause }
