package signin

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"sync"
	"time"

	"github.com/helve-dev/helve/internal/accounts/oauth"
)

// attempt is one sign-in at the issuer. The browser keeps it in a cookie, so any dispatcher
// can finish it and none stores anything for visitors. It needs no signature: it is
// finished only by pages whose secret it was made with, so nobody can sign a person in as
// somebody else by setting the cookie in their browser.
type attempt struct {
	State    string `json:"s"`
	Nonce    string `json:"n"`
	Verifier string `json:"v"`
	Next     string `json:"p"`
	// Page is the hash of the secret of the pages.
	Page  string    `json:"g"`
	Begun time.Time `json:"t"`
}

// AttemptLife is the time in which a person must have signed in at the issuer.
const AttemptLife = 10 * time.Minute

// maxAttempt bounds the cookie of an attempt, in bytes.
const maxAttempt = 4 << 10

func (a attempt) encode() (string, error) {
	text, err := json.Marshal(a)
	return base64.RawURLEncoding.EncodeToString(text), err
}

func decodeAttempt(cookie string) (a attempt, ok bool) {
	if len(cookie) > maxAttempt {
		return a, false
	}
	text, err := base64.RawURLEncoding.DecodeString(cookie)
	return a, err == nil && json.Unmarshal(text, &a) == nil && a.State != "" && a.Nonce != "" && a.Verifier != "" && a.Page != ""
}

// AttemptName returns the part of a cookie's name that depends on the state: each attempt
// has its own cookie, so that several can be made at a time.
func AttemptName(state string) string { return digest("state", state)[:16] }

const (
	// metadataLife is the time for which the issuer's metadata is used, and metadataPause
	// the time after a failure in which it is not requested again.
	metadataLife  = 10 * time.Minute
	metadataPause = 5 * time.Second
)

// metadata keeps what the issuer publishes about itself. The zero value is ready for use.
type metadata struct {
	mu    sync.Mutex
	known oauth.Metadata
	err   error
	at    time.Time
}

// of returns the metadata of an issuer. Of several requests at a time one reads it.
func (m *metadata) of(ctx context.Context, i *Issuer, now time.Time) (oauth.Metadata, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	age := now.Sub(m.at)
	if !m.at.IsZero() && (m.err == nil && age < metadataLife || m.err != nil && age < metadataPause) {
		return m.known, m.err
	}
	// A visitor who leaves is not the issuer's failure. The client bounds each request.
	m.known, m.err = oauth.Discover(context.WithoutCancel(ctx), i.HTTP, i.URL)
	m.at = now
	return m.known, m.err
}
