package config

import (
	"strconv"
	"strings"
)

const (
	maxWeight = 1000
	maxQuota  = 100_000_000
)

// checkShare checks the limits of the calls of tenants and users.
func (c Config) checkShare(v *verdict) {
	v.count("share.quick_user", c.Share.QuickUser, 1, 10_000)
	v.count("share.quick_tenant", c.Share.QuickTenant, c.Share.QuickUser, 100_000)
	for _, entry := range c.Share.Weights {
		tenant, text, _ := strings.Cut(entry, "=")
		if n, err := strconv.Atoi(text); err != nil || n < 1 || n > maxWeight || !poolName().MatchString(tenant) {
			v.addf("share.weights", "has %s; want TENANT=WEIGHT with a weight of 1 to %d", show(entry), maxWeight)
		}
	}
	v.count("quota.user", c.Quota.User, 1, maxQuota)
	v.count("quota.tenant", c.Quota.Tenant, 1, maxQuota)
	for _, entry := range c.Quota.Tenants {
		tenant, text, _ := strings.Cut(entry, "=")
		if n, err := strconv.Atoi(text); err != nil || n < 1 || n > maxQuota || !poolName().MatchString(tenant) {
			v.addf("quota.tenants", "has %s; want TENANT=COUNT with a count of 1 to %d", show(entry), maxQuota)
		}
	}
}

// counts parses validated entries NAME=COUNT.
func counts(entries []string) map[string]int {
	all := map[string]int{}
	for _, entry := range entries {
		name, text, _ := strings.Cut(entry, "=")
		if n, err := strconv.Atoi(text); err == nil {
			all[name] = n
		}
	}
	return all
}

// QuotaSection bounds the calls that are queued or running. Each dispatcher counts the
// calls that it accepted.
type QuotaSection struct {
	User   int `yaml:"user"`
	Tenant int `yaml:"tenant"`
	// Tenants are TENANT=COUNT, for exceptions from Tenant.
	Tenants []string `yaml:"tenants"`
}

// TenantOf returns the quotas of the tenants with an exception.
func (q QuotaSection) TenantOf() map[string]int { return counts(q.Tenants) }
