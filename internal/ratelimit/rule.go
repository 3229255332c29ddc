package ratelimit

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Rule is a bound: Count calls of the tools it names at once, and then one more in
// each Count-th part of Per, counted for each tenant or for each user. So whoever
// has used it up has all of it back after Per, and a Per may see up to twice as many.
type Rule struct {
	// Tool is a name or alias; one that ends in * stands for all that begin so, which are
	// counted together.
	Tool  string
	Count int
	Per   time.Duration
	// ByUser counts each user of a tenant apart.
	ByUser bool
}

// Longest is the longest Per of a rule: states are kept that long.
const Longest = 24 * time.Hour

// Parse reads a rule like "send_email=10/1h" or "*=600/1m by user".
func Parse(text string) (Rule, error) {
	tool, rest, named := strings.Cut(text, "=")
	bound, scope, _ := strings.Cut(rest, " ")
	count, per, parted := strings.Cut(bound, "/")
	r := Rule{Tool: tool, ByUser: scope == "by user"}
	var errCount, errPer error
	r.Count, errCount = strconv.Atoi(count)
	r.Per, errPer = time.ParseDuration(per)
	switch {
	case !named || !parted || tool == "" || errCount != nil || errPer != nil || strings.Contains(strings.TrimSuffix(tool, "*"), "*"),
		scope != "" && scope != "by user" && scope != "by tenant":
		return Rule{}, fmt.Errorf("%q is no rate limit: write TOOL=COUNT/TIME such as send_email=10/1h, with \"by user\" behind it to count each user apart", text)
	case r.Count < 1 || r.Count > 1_000_000 || r.Per < time.Second || r.Per > Longest:
		return Rule{}, fmt.Errorf("%q: the count must be 1 to 1000000 and the time 1s to 24h", text)
	}
	return r, nil
}

// ParseAll reads rules. It refuses one that is there twice: each call would count
// twice.
func ParseAll(texts []string) ([]Rule, error) {
	var rules []Rule
	for _, text := range texts {
		r, err := Parse(text)
		if err != nil {
			return nil, err
		}
		if slices.Contains(rules, r) {
			return nil, fmt.Errorf("%q stands there twice; leave one of them out", text)
		}
		rules = append(rules, r)
	}
	return rules, nil
}

// covers reports whether the rule bounds calls of a tool.
func (r Rule) covers(tool string) bool {
	prefix, open := strings.CutSuffix(r.Tool, "*")
	return tool == r.Tool || open && strings.HasPrefix(tool, prefix)
}

// key is where the state of the rule lies for a caller.
func (r Rule) key(tenant, user string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d", r.Tool, r.Count, r.Per))
	key := hex.EncodeToString(sum[:8]) + "." + tenant
	if !r.ByUser {
		return key
	}
	if user == "" {
		return key + ".nobody"
	}
	return key + ".u." + user
}
