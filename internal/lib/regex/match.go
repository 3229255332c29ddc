package regex

import (
	"context"
	"errors"
	"time"

	"github.com/dlclark/regexp2/v2"
	"github.com/helve-dev/helve/tool"
)

// maxMatch limits the search for one match: a longer search would practically never
// end. maxMatching limits all matches of a text together.
const (
	maxMatch    = time.Second
	maxMatching = 3 * time.Second
)

// Limits of an operation's result.
const (
	MaxMatches     = 10_000
	MaxMatchOutput = 1 << 20 // bytes of matches and groups
)

// Each calls visit for the matches of re in text, in order, until visit returns false.
// It fails with timeout if the pattern takes too long on the text, and with
// validation_error if it takes too much memory.
func Each(ctx context.Context, re *regexp2.Regexp, text string, visit func(m *regexp2.Match) bool) error {
	ctx, cancel := context.WithTimeout(ctx, maxMatching)
	defer cancel()
	end, _ := ctx.Deadline()
	re.MatchTimeout = maxMatch
	m, err := re.FindStringMatch(text)
	for m != nil && err == nil {
		if !visit(m) {
			return nil
		}
		if ctx.Err() != nil {
			break
		}
		re.MatchTimeout = max(min(maxMatch, time.Until(end)), time.Millisecond)
		m, err = re.FindNextMatch(m)
	}
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case errors.Is(err, regexp2.ErrBacktrackingStackLimit):
		return tool.Fail(tool.ValidationError, "The pattern needs too much memory on this text: avoid alternatives under a repetition, "+
			"such as (a|b)*, or send a shorter text.").Because(err)
	case err != nil || ctx.Err() != nil:
		return tool.Fail(tool.Timeout, "The pattern did not finish on this text in time: avoid repetitions within repetitions, such as (a+)+, "+
			"or send a shorter text.").Because(err)
	}
	return nil
}

// Match is one match in a result.
type Match struct {
	Match       string             `json:"match"`
	Groups      []*string          `json:"groups" doc:"What the groups matched, in the order of the pattern; null for one that took no part."`
	Index       int                `json:"index" doc:"Where the match begins, in characters (Unicode code points) from 0."`
	NamedGroups map[string]*string `json:"namedGroups,omitempty" doc:"The same by name, for groups that have one."`

	size int // total size in bytes
}

// Size returns the number of bytes that m takes in a result.
func (m *Match) Size() int { return m.size }

// MatchOf converts m for a result.
func MatchOf(m *regexp2.Match) Match {
	res := Match{Match: m.String(), Groups: []*string{}, Index: m.RuneIndex}
	res.size = len(res.Match)
	for _, group := range m.Groups()[1:] {
		var value *string
		if len(group.Captures) > 0 {
			text := group.String()
			value = &text
			res.size += len(text)
		}
		res.Groups = append(res.Groups, value)
		if group.Name != "" && (group.Name[0] < '0' || group.Name[0] > '9') {
			if res.NamedGroups == nil {
				res.NamedGroups = map[string]*string{}
			}
			res.NamedGroups[group.Name] = value
		}
		res.size += 8
	}
	return res
}
