package identity

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Entry is an API key in the key file, by its hash. Tenant and Roles are required.
// Without User or Agent the key's holder may name any.
type Entry struct {
	ID     string   `yaml:"id" json:"id"`
	Hash   string   `yaml:"hash" json:"hash"`
	Tenant string   `yaml:"tenant" json:"tenant"`
	User   string   `yaml:"user,omitempty" json:"user,omitempty"`
	Agent  string   `yaml:"agent,omitempty" json:"agent,omitempty"`
	Roles  []string `yaml:"roles,flow" json:"roles"`
	// Name is the key's name in logs and the audit trail; its ID if empty.
	Name string `yaml:"name,omitempty" json:"name,omitempty"`
	// Expires is the expiry time of the key, in RFC 3339; empty for never.
	Expires string `yaml:"expires,omitempty" json:"expires,omitempty"`
	// Disabled keys are refused.
	Disabled bool `yaml:"disabled,omitempty" json:"disabled,omitempty"`
}

// apiKey is a validated entry.
type apiKey struct {
	hash     hash
	who      Principal
	expires  time.Time // zero for never
	disabled bool
}

const maxKeyName = 80

// Nobody is the directory name for files of calls without a user. No credential can be
// for a user of that name.
const Nobody = "_"

var nameForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Check returns what is wrong with the entry, without the value of its hash.
func (e Entry) Check() error {
	_, err := e.read()
	return err
}

func (e Entry) read() (k apiKey, err error) {
	var hashed bool
	k.hash, hashed = parseHash(e.Hash)
	switch {
	case len(e.ID) != idLength || strings.Trim(e.ID, "abcdefghijklmnopqrstuvwxyz234567") != "":
		return k, fmt.Errorf("id must be the %d letters and digits between hk_ and the next _ of the key", idLength)
	case !hashed:
		return k, fmt.Errorf("hash must be sha256: and 64 hex digits, as `helve auth key` prints it")
	case !nameForm.MatchString(e.Tenant):
		return k, notName("tenant", e.Tenant)
	case e.User != "" && !nameForm.MatchString(e.User):
		return k, notName("user", e.User)
	case e.User == Nobody:
		return k, fmt.Errorf("user %q is reserved for calls without a user; choose another", Nobody)
	case e.Agent != "" && !nameForm.MatchString(e.Agent):
		return k, notName("agent", e.Agent)
	case len(e.Name) > maxKeyName || strings.ContainsFunc(e.Name, unicode.IsControl):
		return k, fmt.Errorf("name must be at most %d bytes on one line", maxKeyName)
	}
	k.who = Principal{Tenant: e.Tenant, User: e.User, Agent: e.Agent, Name: e.Name}
	if e.Name == "" {
		k.who.Name = "key " + e.ID
	}
	if k.who.Roles, err = readRoles(e.Roles); err != nil {
		return k, err
	}
	if e.Expires != "" {
		if k.expires, err = time.Parse(time.RFC3339, e.Expires); err != nil {
			return k, fmt.Errorf("expires is %.40q; want a time such as 2027-01-31T00:00:00Z", e.Expires)
		}
	}
	k.disabled = e.Disabled
	return k, nil
}

// readRoles requires at least one role and no unknown role.
func readRoles(names []string) ([]Role, error) {
	var roles []Role
	for _, name := range names {
		if !slices.Contains(Roles(), Role(name)) {
			return nil, fmt.Errorf("roles has %.40q; want some of %v", name, Roles())
		}
		if !slices.Contains(roles, Role(name)) {
			roles = append(roles, Role(name))
		}
	}
	if len(roles) == 0 {
		return nil, fmt.Errorf("roles is empty; want some of %v", Roles())
	}
	return roles, nil
}

func notName(what, text string) error {
	return fmt.Errorf("%s must be 1 to 64 letters, digits, - and _, but it is %.80q", what, text)
}
