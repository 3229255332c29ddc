package connect

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/accounts/oauth"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// A link can be sent to somebody else, who would agree with an account of their own. So what
// a browser without a credential brings is held until the person of the link, with their
// credential, enters the code that this browser shows.

const (
	// codeLength is the length of a code, which has 40 random bits.
	codeLength = 8
	// maxTries bounds the wrong codes, after which nothing is connected.
	maxTries = 5
)

// hold stores the tokens of an attempt with its link, and returns the code to confirm it.
func (s *Service) hold(ctx context.Context, a *attempt, token oauth.Token) (code string, err error) {
	link, _, revision, err := s.link(ctx, a.Link)
	if err != nil {
		return "", err
	}
	if link == nil || link.Status != "" {
		return "", unknown()
	}
	text, err := json.Marshal(token)
	if err != nil {
		return "", err
	}
	code = random()[:codeLength]
	link.Status, link.Code = protocol.ConnectionConfirm, digest(code)
	if err := s.update(ctx, linkKey(a.Link), link, string(text), revision); err != nil {
		if errors.Is(err, natsio.ErrExists) {
			return "", unknown()
		}
		return "", err
	}
	return code[:codeLength/2] + "-" + code[codeLength/2:], nil
}

// Confirm connects the account of a connection, if its browser shows this code.
func (s *Service) Confirm(ctx context.Context, tenant, user, service, id, code string) (protocol.Connection, error) {
	a, text, revision, err := s.link(ctx, id)
	if err != nil {
		return protocol.Connection{}, err
	}
	if a == nil || a.who() != (who{tenant, user, service}) || a.Status != protocol.ConnectionConfirm ||
		time.Now().After(a.Expires.Add(keptAfter)) {
		return protocol.Connection{}, unknown()
	}
	reg, err := s.registered(ctx, tenant, service)
	if err != nil {
		return protocol.Connection{}, err
	}
	if reg.ID != a.Registration {
		return protocol.Connection{}, tool.Fail(tool.ValidationError, "the registration at %s was changed meanwhile; start again", reg.Title)
	}
	code = strings.ToUpper(strings.ReplaceAll(strings.TrimSpace(code), "-", ""))
	right := subtle.ConstantTimeCompare([]byte(digest(code)), []byte(a.Code)) == 1
	if err := s.tried(ctx, id, a, text, revision, right); err != nil || !right {
		return s.shown(a), err
	}
	var token oauth.Token
	if err := json.Unmarshal([]byte(text), &token); err != nil {
		return protocol.Connection{}, err
	}
	if err := s.connected(ctx, a, reg, token); err != nil {
		return protocol.Connection{}, err
	}
	a.Status = protocol.ConnectionConnected
	return s.shown(a), nil
}

// tried counts a code, before its sender learns whether it is the right one: of several at a
// time one is tried. After too many wrong ones the tokens are forgotten.
func (s *Service) tried(ctx context.Context, id string, a *attempt, text string, revision uint64, right bool) error {
	a.Tries++
	if !right && a.Tries >= maxTries {
		a.Status, text = protocol.ConnectionDenied, ""
	}
	err := s.update(ctx, linkKey(id), a, text, revision)
	switch {
	case errors.Is(err, natsio.ErrExists):
		return tool.Fail(tool.Overloaded, "another code is entered at this moment; try again")
	case err != nil:
		return err
	case !right && a.Status != protocol.ConnectionDenied:
		return tool.Fail(tool.ValidationError, "this is not the code that the browser shows; nothing is connected yet")
	}
	return nil
}
