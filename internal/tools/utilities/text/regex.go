package text

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/dlclark/regexp2/v2"
	"github.com/helve-dev/helve/internal/lib/regex"
	"github.com/helve-dev/helve/tool"
)

type regexArgs struct {
	Text        string  `json:"text" doc:"Text to work on."`
	Pattern     string  `json:"pattern" doc:"Regular expression as in JavaScript, without slashes around it: look-around, back references and named groups work."`
	Operation   string  `json:"operation,omitempty" doc:"test answers true or false, match the first match, match_all every match, replace the new text, split the parts; match_all when left out, or replace with a replacement." enum:"test,match,match_all,replace,split"`
	Replacement *string `json:"replacement,omitempty" doc:"For replace: $1 and $<name> stand for groups, $& for the match, $$ for a dollar sign; nothing when left out."`
	Flags       string  `json:"flags,omitempty" doc:"Letters of g (replace every match, not only the first), i (ignore case), m (^ and $ match at lines), s (. matches line breaks), x (spaces in the pattern do not count), y (only at the start) and u."`
}

type regexResult struct {
	Operation string `json:"operation"`
	Pattern   string `json:"pattern"`
	Flags     string `json:"flags"`
	Result    any    `json:"result" doc:"Of test true or false; of match {match, groups, index} or null; of match_all a list of those; of replace the text; of split the parts. An index counts characters (Unicode code points)."`

	total, listed int
}

// Present adds a note about unlisted matches or parts.
func (r *regexResult) Present(res *tool.Result) {
	if r.total > r.listed {
		res.Truncated = true
		res.Metadata = map[string]any{"total": r.total}
	}
}

var _ = tool.Add(Set, tool.Spec[regexArgs, *regexResult]{
	Name:    "regex",
	Aliases: []string{"run_regex"},
	Description: "Run a regular expression on a text to test it, find matches with their groups, replace or split, and return the outcome " +
		"of the operation.",
	Tags:       []string{"regex", "regular expression", "pattern", "match", "replace", "split", "regexp"},
	Group:      "utilities",
	Errors:     []tool.Kind{},
	Example:    `{"text":"Ann: 42, Bob: 7","pattern":"(?<name>\\w+): (\\d+)","operation":"match_all"}`,
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Timeout:    10 * time.Second,
	Run:        runRegex,
})

func runRegex(ctx context.Context, _ *tool.Call, args regexArgs) (*regexResult, error) {
	re, err := regex.Compile(args.Pattern, args.Flags)
	if err != nil {
		return nil, err
	}
	operation := args.Operation
	if operation == "" && args.Replacement != nil {
		operation = "replace"
	}
	operation = cmp.Or(operation, "match_all")
	res := &regexResult{Operation: operation, Pattern: args.Pattern, Flags: args.Flags}
	switch operation {
	case "test", "match":
		err = res.first(ctx, re, args.Text)
	case "match_all":
		err = res.all(ctx, re, args.Text)
	case "split":
		err = res.split(ctx, re, args.Text)
	case "replace":
		template := ""
		if args.Replacement != nil {
			template = *args.Replacement
		}
		instead := regex.ReadReplacement(re, template)
		text := []rune(args.Text)
		res.Result, _, err = regex.Replace(ctx, re, args.Text, strings.Contains(args.Flags, "g"), func(out *strings.Builder, m *regexp2.Match) {
			instead.Write(out, m, text)
		})
	}
	if err != nil {
		return nil, err
	}
	return res, nil
}

// first runs test and match.
func (r *regexResult) first(ctx context.Context, re *regexp2.Regexp, text string) error {
	found := false
	err := regex.Each(ctx, re, text, func(m *regexp2.Match) bool {
		found = true
		r.Result = regex.MatchOf(m)
		return false
	})
	if r.Operation == "test" {
		r.Result = found
	}
	return err
}

// all runs match_all; it continues to count when the result is full.
func (r *regexResult) all(ctx context.Context, re *regexp2.Regexp, text string) error {
	matches, size := []regex.Match{}, 0
	err := regex.Each(ctx, re, text, func(m *regexp2.Match) bool {
		if r.total++; len(matches) == r.total-1 && len(matches) < regex.MaxMatches {
			if match := regex.MatchOf(m); size+match.Size() <= regex.MaxMatchOutput {
				matches = append(matches, match)
				size += match.Size()
			}
		}
		return true
	})
	r.Result, r.listed = matches, len(matches)
	return err
}

// split works like String.split of JavaScript: captured groups appear between the
// parts, an empty match splits only between two characters, and an empty text that
// matches has no parts.
func (r *regexResult) split(ctx context.Context, re *regexp2.Regexp, text string) error {
	runes := []rune(text)
	parts, size, at, found := []*string{}, 0, 0, false
	add := func(part *string) {
		if part != nil {
			size += len(*part)
		}
		if r.total++; len(parts) == r.total-1 && len(parts) < regex.MaxMatches && size <= regex.MaxMatchOutput {
			parts = append(parts, part)
		}
	}
	err := regex.Each(ctx, re, text, func(m *regexp2.Match) bool {
		end := m.RuneIndex + m.RuneLength
		found = true
		if m.RuneLength == 0 && (m.RuneIndex == at || m.RuneIndex == len(runes)) {
			return true
		}
		part := string(runes[at:m.RuneIndex])
		add(&part)
		for _, group := range regex.MatchOf(m).Groups {
			add(group)
		}
		at = end
		return true
	})
	if rest := string(runes[at:]); len(runes) > 0 || !found {
		add(&rest)
	}
	r.Result, r.listed = parts, len(parts)
	return err
}
