package policy

import (
	"fmt"
	"strings"
)

// Profile selects how often a tenant's calls need a person's approval.
type Profile string

// The profiles. Standard is the profile in docs/protocol.md, Policy.
const (
	Strict   Profile = "strict"
	Standard Profile = "standard"
	Auto     Profile = "auto"
)

// ParseProfile returns the profile with that name; an empty name is Standard.
func ParseProfile(name string) (Profile, error) {
	switch p := Profile(name); p {
	case "":
		return Standard, nil
	case Strict, Standard, Auto:
		return p, nil
	default:
		return "", fmt.Errorf("%q is no profile; use strict, standard or auto", name)
	}
}

// ParseTenants parses a list of TENANT=PROFILE.
func ParseTenants(entries []string) (map[string]Profile, error) {
	byTenant := map[string]Profile{}
	for _, entry := range entries {
		tenant, name, _ := strings.Cut(entry, "=")
		profile, err := ParseProfile(name)
		if err != nil {
			return nil, fmt.Errorf("tenant %s: %w", tenant, err)
		}
		byTenant[tenant] = profile
	}
	return byTenant, nil
}
