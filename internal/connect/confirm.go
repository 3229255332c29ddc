package connect

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/natsio"
	"github.com/helve-dev/helve/internal/oauth"
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
	link, _, revision, err := s.load(ctx, linkKey(a.Link))
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
	key := linkKey(id)
	a, text, revision, err := s.load(ctx, key)
	if err != nil {
		return protocol.Connection{}, err
	}
	if a == nil || !IsLink(id) || a.who() != (who{tenant, user, service}) || a.Status != protocol.ConnectionConfirm || time.Now().After(a.Expires.Add(keptAfter)) {
		return protocol.Connection{}, unknown()
	}
	code = strings.ToUpper(strings.ReplaceAll(strings.TrimSpace(code), "-", ""))
	if subtle.ConstantTimeCompare([]byte(digest(code)), []byte(a.Code)) != 1 {
		return s.wrong(ctx, key, a, text, revision)
	}
	reg, err := s.registered(ctx, tenant, service)
	if err != nil {
		return protocol.Connection{}, err
	}
	if reg.ID != a.Registration {
		return protocol.Connection{}, tool.Fail(tool.ValidationError, "the registration at %s was changed meanwhile; start again", reg.Title)
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

// wrong counts a wrong code. After too many the tokens are forgotten.
func (s *Service) wrong(ctx context.Context, key string, a *attempt, text string, revision uint64) (protocol.Connection, error) {
	if a.Tries++; a.Tries >= maxTries {
		a.Status, text = protocol.ConnectionDenied, ""
	}
	if err := s.update(ctx, key, a, text, revision); err != nil && !errors.Is(err, natsio.ErrExists) {
		return protocol.Connection{}, err
	}
	if a.Status == protocol.ConnectionDenied {
		return s.shown(a), nil
	}
	return protocol.Connection{}, tool.Fail(tool.ValidationError, "this is not the code that the browser shows; nothing is connected yet")
}
