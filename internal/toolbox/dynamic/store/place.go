package store

import (
	"regexp"
	"strings"
)

// Place is where a tool is stored: it has an owner, or is shared.
type Place struct {
	Tenant, Owner, Name string
	Shared              bool
}

// The second words of keys.
const (
	ownWord    = "own"
	sharedWord = "shared"
)

var (
	word     = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	toolName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
)

// Own returns the place of a person's own tool.
func Own(tenant, owner, name string) Place { return Place{Tenant: tenant, Owner: owner, Name: name} }

// Shared returns the place of the version that a tenant shares.
func Shared(tenant, name string) Place { return Place{Tenant: tenant, Name: name, Shared: true} }

// Key returns the key of the place in the bucket.
func (p Place) Key() string {
	if p.Shared {
		return p.Tenant + "." + sharedWord + "." + p.Name
	}
	return p.Tenant + "." + ownWord + "." + p.Owner + "." + p.Name
}

// ParsePlace reads a key; ok is false if the key is not that of a tool.
func ParsePlace(key string) (p Place, ok bool) {
	words := strings.Split(key, ".")
	last := len(words) - 1
	if last < 1 || !toolName.MatchString(words[last]) {
		return Place{}, false
	}
	p = Place{Tenant: words[0], Name: words[last]}
	switch {
	case last == 2 && words[1] == sharedWord:
		p.Shared = true
	case last == 3 && words[1] == ownWord:
		p.Owner = words[2]
	default:
		return Place{}, false
	}
	return p, true
}
