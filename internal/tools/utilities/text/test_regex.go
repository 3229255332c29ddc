package text

import (
	"context"
	"time"

	"github.com/dlclark/regexp2/v2"
	"github.com/helve-dev/helve/internal/lib/regex"
	"github.com/helve-dev/helve/tool"
)

type testRegexArgs struct {
	Pattern string `json:"pattern" doc:"Regular expression as in JavaScript, without slashes around it."`
	Text    string `json:"text" doc:"Text to try it on; empty to check the pattern alone." default:""`
	Flags   string `json:"flags,omitempty" doc:"Letters of g, i, m, s, x, y and u, as in regex."`
}

type testedRegex struct {
	Valid   bool          `json:"valid" doc:"Whether the pattern and the flags can be read."`
	Error   string        `json:"error,omitempty" doc:"What is wrong with them."`
	Matches bool          `json:"matches" doc:"Whether the pattern matches the text."`
	Count   int           `json:"count" doc:"Number of matches."`
	First   []regex.Match `json:"first" doc:"The first matches, at most 10."`
}

var _ = tool.Add(Set, tool.Spec[testRegexArgs, *testedRegex]{
	Name: "test_regex",
	Description: "Check that a regular expression is valid and try it on a text before relying on it, and return whether it matches, " +
		"how often and the first matches.",
	Tags:       []string{"regex", "test", "validate", "pattern", "regular expression"},
	Group:      "validation",
	Errors:     []tool.Kind{},
	Example:    `{"pattern":"^[a-z]+-\\d{2,}$","text":"item-042"}`,
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Timeout:    10 * time.Second,
	Run:        testRegex,
})

func testRegex(ctx context.Context, _ *tool.Call, args testRegexArgs) (*testedRegex, error) {
	const listed = 10
	res := &testedRegex{First: []regex.Match{}}
	re, err := regex.Compile(args.Pattern, args.Flags)
	if err != nil {
		res.Error = tool.AsError(err).Msg
		return res, nil
	}
	res.Valid = true
	size := 0
	err = regex.Each(ctx, re, args.Text, func(m *regexp2.Match) bool {
		if res.Count++; len(res.First) < listed && size <= regex.MaxMatchOutput {
			match := regex.MatchOf(m)
			size += match.Size()
			res.First = append(res.First, match)
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	res.Matches = res.Count > 0
	return res, nil
}
