package tool

import (
	"context"
	"errors"
	"fmt"
)

// AccessToken is the field of an entry with the token of a person's account. The port
// [Secrets] replaces it before it expires, so a tool reads the entry for each call.
const AccessToken = "access_token"

// AccountMissing is in the chain of the error with which the port [Secrets] answers for a
// service whose account the person of the call has not connected, or must connect again.
//
// A tool returns that error unchanged, from its Check or, if the call changes nothing, from
// its Run: the call then waits until the person has connected the account, and runs again.
// For a call that has begun to change something it is the error not_configured.
type AccountMissing struct {
	// Service is the name of the service, Title its name for people.
	Service, Title string
	// Reason is the reason for which an account that was connected is not usable; empty if
	// there was none.
	Reason string
	// Page is the address below which the person connects accounts; empty if no
	// dispatcher has one.
	Page string
}

// Error returns a sentence without values.
func (m *AccountMissing) Error() string {
	if m.Reason != "" {
		return fmt.Sprintf("the account of %s must be connected again: %s", m.Service, m.Reason)
	}
	return fmt.Sprintf("no account of %s is connected", m.Service)
}

// MissingAccount returns the AccountMissing in an error of the port [Secrets], or nil.
func MissingAccount(err error) *AccountMissing {
	m, _ := errors.AsType[*AccountMissing](err)
	return m
}

// Refresher is implemented by a [Secrets] port that has accounts of people.
type Refresher interface {
	// Refresh returns the entry to use in place of refused, an entry of the service whose
	// access token the service has answered with 401. The token is replaced once, however
	// many calls report it; if that happened already, no request is made. The error is that
	// of Entries. For an entry that is no account it returns false.
	Refresh(ctx context.Context, service string, refused ServiceEntry) (ServiceEntry, bool, error)
}

// RefreshEntry is [Refresher.Refresh] of a port that may have no accounts. A tool calls it
// after the first 401, and makes its request once more if it returns true. A second 401 is
// the tool's not_configured.
func RefreshEntry(ctx context.Context, s Secrets, service string, refused ServiceEntry) (ServiceEntry, bool, error) {
	r, ok := s.(Refresher)
	if !ok || refused.Data[AccessToken] == "" {
		return ServiceEntry{}, false, nil
	}
	return r.Refresh(ctx, service, refused)
}
