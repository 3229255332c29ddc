package policy

import (
	"fmt"
	"strings"
)

// Profile is how much a tenant's calls ask of people.
type Profile string

// The profiles. Standard is that of PROTOCOL section 6.
const (
	Strict   Profile = "strict"
	Standard Profile = "standard"
	Auto     Profile = "auto"
)

// ParseProfile returns the profile of a name; no name is Standard.
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

// ParseTenants reads a list of TENANT=PROFILE.
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
