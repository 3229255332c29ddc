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

// Rule is a limit: Count calls of the matching tools in a burst, and then one more in
// each Count-th part of Per, counted for each tenant or for each user. So the full
// burst is available again after Per, and up to twice Count calls may fall into one
// Per.
type Rule struct {
	// Tool is a name or alias; a name that ends in * matches all tools with that
	// prefix, which are counted together.
	Tool  string
	Count int
	Per   time.Duration
	// ByUser counts each user of a tenant separately.
	ByUser bool
}

// Longest is the longest Per of a rule; states are stored for that time.
const Longest = 24 * time.Hour

// Parse parses a rule like "send_email=10/1h" or "*=600/1m by user".
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
		return Rule{}, fmt.Errorf(
			"%q is no rate limit: write TOOL=COUNT/TIME such as send_email=10/1h, with \"by user\" behind it to count each user apart", text,
		)
	case r.Count < 1 || r.Count > 1_000_000 || r.Per < time.Second || r.Per > Longest:
		return Rule{}, fmt.Errorf("%q: the count must be 1 to 1000000 and the time 1s to 24h", text)
	}
	return r, nil
}

// String returns the rule in the form that Parse reads.
func (r Rule) String() string {
	text := fmt.Sprintf("%s=%d/%s", r.Tool, r.Count, r.Per)
	if r.ByUser {
		text += " by user"
	}
	return text
}

// ParseAll parses rules. It refuses a duplicate rule, which would count each call
// twice.
func ParseAll(texts []string) ([]Rule, error) {
	var rules []Rule
	for _, text := range texts {
		r, err := Parse(text)
		if err != nil {
			return nil, err
		}
		if slices.Contains(rules, r) {
			return nil, fmt.Errorf("%q is given twice; leave one of them out", text)
		}
		rules = append(rules, r)
	}
	return rules, nil
}

// covers reports whether the rule applies to calls of a tool.
func (r Rule) covers(tool string) bool {
	prefix, open := strings.CutSuffix(r.Tool, "*")
	return tool == r.Tool || open && strings.HasPrefix(tool, prefix)
}

// key returns the key of the rule's state for a caller.
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
