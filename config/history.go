package config

import (
	"slices"
	"strings"
	"time"
)

// HistorySection configures what is known of calls after their results have expired.
type HistorySection struct {
	Keep KeepSection `yaml:"keep"`
}

// KeepSection sets how long calls are kept with their arguments and results.
type KeepSection struct {
	// Errors and Successes are the times for calls that failed and for others; 0 keeps none.
	Errors    time.Duration `yaml:"errors"`
	Successes time.Duration `yaml:"successes"`
	// Tools are TOOL=never or TOOL=DURATION, for exceptions. TOOL is a name or, at its end,
	// has a * for any text. The first that matches counts.
	Tools []string `yaml:"tools"`
	// MaxBytes bounds all kept calls; 0 is no bound. The oldest are dropped first.
	MaxBytes Bytes `yaml:"max_bytes"`
	// Tenants are TENANT=KEY:VALUE with further KEY:VALUE separated by spaces, for exceptions.
	// KEY is errors, successes, max_bytes or tools.TOOL.
	Tenants []string `yaml:"tenants"`
}

// Keep holds the times for which calls are kept, with the exceptions of tenants.
type Keep struct {
	rule    keepRule
	tenants map[string]keepRule
}

// keepRule holds the times of one tenant, or of all without an exception.
type keepRule struct {
	errors, successes time.Duration
	tools             []keepTool
	maxBytes          Bytes
}

// keepTool is the time of a tool, or of all whose name begins so.
type keepTool struct {
	name   string
	prefix bool
	time   time.Duration
}

const (
	never = "never"
	// keepMost is the longest time for which a call can be kept.
	keepMost = 10 * year
	toolKey  = "tools."
)

var keepName = pattern(`^([A-Za-z][A-Za-z0-9_.]*\*?|\*)$`)

// Parsed returns the section in the form in which it is used. It must be valid.
func (s KeepSection) Parsed() *Keep {
	k := &Keep{rule: keepRule{errors: s.Errors, successes: s.Successes, maxBytes: s.MaxBytes}, tenants: map[string]keepRule{}}
	for _, entry := range s.Tools {
		name, text, _ := strings.Cut(entry, "=")
		k.rule.setTool(name, text)
	}
	for _, entry := range s.Tenants {
		tenant, pairs, _ := strings.Cut(entry, "=")
		r := keepRule{errors: k.rule.errors, successes: k.rule.successes}
		for pair := range strings.FieldsSeq(pairs) {
			key, value, _ := strings.Cut(pair, ":")
			r.set(key, value)
		}
		r.tools = append(r.tools, k.rule.tools...)
		k.tenants[tenant] = r
	}
	return k
}

// Time returns how long a call of a tool is kept; 0 means that it is not.
func (k *Keep) Time(tenant, tool string, failed bool) time.Duration {
	r, ok := k.tenants[tenant]
	if !ok {
		r = k.rule
	}
	for _, t := range r.tools {
		if t.name == tool || t.prefix && strings.HasPrefix(tool, t.name) {
			return t.time
		}
	}
	if failed {
		return r.errors
	}
	return r.successes
}

// MaxBytes returns the bound of the kept calls of a tenant, or of all with an empty name; 0
// means that they have none of their own.
func (k *Keep) MaxBytes(tenant string) int64 {
	if tenant == "" {
		return int64(k.rule.maxBytes)
	}
	return int64(k.tenants[tenant].maxBytes)
}

// set sets one exception, and reports whether it is valid.
func (r *keepRule) set(key, value string) bool {
	ok := false
	switch {
	case key == "errors":
		r.errors, ok = keepTime(value)
	case key == "successes":
		r.successes, ok = keepTime(value)
	case key == "max_bytes":
		var err error
		r.maxBytes, err = ParseBytes(value)
		ok = err == nil && r.maxBytes >= 0 && r.maxBytes <= maxBytes
	case strings.HasPrefix(key, toolKey):
		ok = r.setTool(strings.TrimPrefix(key, toolKey), value)
	}
	return ok
}

func (r *keepRule) setTool(name, value string) bool {
	time, ok := keepTime(value)
	if !ok || !keepName().MatchString(name) {
		return false
	}
	base, prefix := strings.CutSuffix(name, "*")
	r.tools = append(r.tools, keepTool{base, prefix, time})
	return true
}

// keepTime parses a time for which calls are kept.
func keepTime(text string) (time.Duration, bool) {
	if text == never {
		return 0, true
	}
	d, err := time.ParseDuration(text)
	return d, err == nil && d >= 0 && d <= keepMost
}

func (c Config) checkHistory(v *verdict) {
	k := c.History.Keep
	v.between("history.keep.errors", k.Errors, 0, keepMost)
	v.between("history.keep.successes", k.Successes, 0, keepMost)
	v.size("history.keep.max_bytes", k.MaxBytes, 0, maxBytes)
	for _, entry := range k.Tools {
		name, text, _ := strings.Cut(entry, "=")
		if !new(keepRule).setTool(name, text) {
			v.addf("history.keep.tools", "has %s; want TOOL=never or TOOL=DURATION, such as read_file=never or crm.*=72h", show(entry))
		}
	}
	for _, entry := range k.Tenants {
		tenant, pairs, _ := strings.Cut(entry, "=")
		all := strings.Fields(pairs)
		bad := func(pair string) bool {
			key, value, _ := strings.Cut(pair, ":")
			return !new(keepRule).set(key, value)
		}
		if !poolName().MatchString(tenant) || len(all) == 0 || slices.ContainsFunc(all, bad) {
			v.addf("history.keep.tenants",
				"has %s; want TENANT=KEY:VALUE with errors, successes, max_bytes or tools.TOOL as KEY, such as "+
					"acme=errors:72h successes:never max_bytes:100MiB", show(entry))
		}
	}
}
