package config

import (
	"slices"
	"strings"
	"time"
)

// month bounds the time for a person's decision: the data of a parked call is kept for
// that long.
const month = 30 * 24 * time.Hour

// checkGate checks policy, consent and authentication.
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
	v.oneOf("auth.nats", c.Auth.NATS, NATSCredential, NATSServer)
	if c.Auth.Issuer != "" {
		v.url("auth.issuer", c.Auth.Issuer, "https", "http")
		v.filled("auth.audience", c.Auth.Audience)
	}
	for _, claim := range []struct{ key, name string }{
		{"auth.tenant_claim", c.Auth.TenantClaim}, {"auth.user_claim", c.Auth.UserClaim}, {"auth.roles_claim", c.Auth.RolesClaim},
	} {
		v.filled(claim.key, claim.name)
	}
	c.checkSignIn(v)
	if c.Audit.MaxAge != 0 {
		v.between("audit.max_age", c.Audit.MaxAge, 24*time.Hour, 100*year)
	}
	v.size("audit.max_bytes", c.Audit.MaxBytes, 0, maxBytes)
	v.between("audit.seal_every", c.Audit.SealEvery, 100*time.Millisecond, time.Minute)
	v.count("audit.seal_records", c.Audit.SealRecords, 1, 10_000)
	if c.Store.URL != "" {
		v.database("store.url", c.Store.URL)
	}
	v.count("store.max_items", c.Store.MaxItems, 0, 1_000_000_000)
	v.size("store.max_bytes", c.Store.MaxBytes, 0, maxBytes)
	v.size("store.cache_bytes", c.Store.CacheBytes, 0, maxBytes)
}

// checkSignIn checks the settings of signing in with a browser.
func (c Config) checkSignIn(v *verdict) {
	a := c.Auth
	switch {
	case a.ClientID != "" && a.Issuer == "":
		v.addf("auth.client_id", "is set without auth.issuer; want the issuer at which people sign in")
	case a.ClientID == "" && a.ClientSecretFile != "":
		v.addf("auth.client_secret_file", "is set without auth.client_id; want both or neither")
	}
	if a.ClientID != "" && !slices.Contains(a.ClientScopes, "openid") {
		v.addf("auth.client_scopes", "does not have openid; want it, because without it an issuer makes no ID token")
	}
	v.between("auth.session_idle", a.SessionIdle, time.Minute, 30*24*time.Hour)
	v.between("auth.session_life", a.SessionLife, time.Minute, 90*24*time.Hour)
}
