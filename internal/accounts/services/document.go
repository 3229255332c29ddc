package services

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/identity/vault"
	"github.com/helve-dev/helve/tool"
)

// DefaultLabel is the label of the entry that tools use first.
const DefaultLabel = "default"

// document is a stored entry: values in the clear, which the sealed part proves, and
// encrypted ones.
type document struct {
	Clear  json.RawMessage `json:"clear"`
	Sealed vault.Sealed    `json:"sealed"`
}

// public is the part of an entry that is not encrypted.
type public struct {
	Type   string            `json:"type,omitempty"`
	Active bool              `json:"active"`
	Values map[string]string `json:"values,omitempty"`
	// Secrets are the names of the encrypted values.
	Secrets []string `json:"secrets,omitempty"`
	// Bound is a hash of what the schema said about the secrets when the entry was stored.
	Bound string    `json:"bound,omitempty"`
	At    time.Time `json:"at,omitzero"`
	By    string    `json:"by,omitempty"`
	// Account is set in the account of a person.
	Account *accountFacts `json:"account,omitempty"`
}

const (
	ofTenant = "tenant"
	ofUser   = "user"
)

// keyOf returns the key of an entry in the bucket. All names must be valid.
func keyOf(at vault.Place) string {
	if at.User == "" {
		return strings.Join([]string{at.Tenant, ofTenant, at.Service, at.Label}, ".")
	}
	return strings.Join([]string{at.Tenant, ofUser, at.User, at.Service, at.Label}, ".")
}

// placeOf returns the entry of a key.
func placeOf(key string) (at vault.Place, ok bool) {
	p := strings.Split(key, ".")
	switch {
	case len(p) == 4 && p[1] == ofTenant:
		return vault.Place{Tenant: p[0], Service: p[2], Label: p[3]}, true
	case len(p) == 5 && p[1] == ofUser && p[2] != "":
		return vault.Place{Tenant: p[0], User: p[2], Service: p[3], Label: p[4]}, true
	}
	return at, false
}

// checkPlace checks the names of an entry.
func checkPlace(at vault.Place) error {
	for _, n := range []struct{ what, name string }{{"tenant", at.Tenant}, {"service", at.Service}, {"label", at.Label}} {
		if !nameForm.MatchString(n.name) {
			return badName(n.what, n.name)
		}
	}
	if at.User != "" && !nameForm.MatchString(at.User) {
		return badName("user", at.User)
	}
	return nil
}

func badName(what, name string) error {
	return tool.Fail(tool.ValidationError, "%s must match [A-Za-z0-9_-]{1,64}, but it is %.80q", what, name)
}

// open returns all values of an entry.
func (d document) open(ctx context.Context, w vault.Wrapper, at vault.Place) (c public, secrets map[string]string, err error) {
	if secrets, err = vault.Unseal(ctx, w, at, d.Clear, d.Sealed); err != nil {
		return c, nil, err
	}
	if json.Unmarshal(d.Clear, &c) != nil {
		return c, nil, vault.ErrDamaged
	}
	return c, secrets, nil
}

// read parses the stored bytes of an entry, without decrypting it.
func read(value []byte) (d document, c public, err error) {
	if json.Unmarshal(value, &d) != nil || json.Unmarshal(d.Clear, &c) != nil {
		return d, c, vault.ErrDamaged
	}
	return d, c, nil
}

func encode(d document) ([]byte, error) { return json.Marshal(d) }
