package config

import (
	"slices"
	"strings"
	"time"
)

// month bounds how long a person may take: what a parked call needs is kept as
// long.
const month = 30 * 24 * time.Hour

// checkGate looks at what decides about calls, and who may ask.
func (c Config) checkGate(v *verdict) {
	v.between("consent.ttl", c.Consent.TTL, time.Second, month)
	v.between("consent.high_ttl", c.Consent.HighTTL, time.Second, month)
	v.count("consent.max_per_user", c.Consent.MaxPerUser, 1, 100_000)
	for _, file := range c.Policy.Rules {
		v.filled("policy.rules", file)
	}
	for _, entry := range c.Policy.Tenants {
		tenant, profile, _ := strings.Cut(entry, "=")
		if !poolName().MatchString(tenant) || !slices.Contains([]string{"strict", "standard", "auto"}, profile) {
			v.addf("policy.tenants", "has %s; want TENANT=strict, standard or auto", show(entry))
		}
	}
	for _, name := range c.Policy.Permissions {
		v.matches("policy.permissions", name, subjectPrefix, "names of letters, digits, -, _ and dots, at most 64 characters")
	}
	if c.Auth.Issuer != "" {
		v.url("auth.issuer", c.Auth.Issuer, "https", "http")
		v.filled("auth.audience", c.Auth.Audience)
	}
	for _, claim := range []struct{ key, name string }{
		{"auth.tenant_claim", c.Auth.TenantClaim}, {"auth.user_claim", c.Auth.UserClaim}, {"auth.roles_claim", c.Auth.RolesClaim},
	} {
		v.filled(claim.key, claim.name)
	}
	if c.Audit.MaxAge != 0 {
		v.between("audit.max_age", c.Audit.MaxAge, 24*time.Hour, 100*year)
	}
	v.size("audit.max_bytes", c.Audit.MaxBytes, 0, maxBytes)
	v.between("audit.seal_every", c.Audit.SealEvery, 100*time.Millisecond, time.Minute)
	v.count("audit.seal_records", c.Audit.SealRecords, 1, 10_000)
	if c.Store.URL != "" {
		v.url("store.url", c.Store.URL, "postgres", "postgresql")
	}
}
