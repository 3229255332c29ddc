package text

import (
	"context"
	"strings"
	"time"

	"github.com/dlclark/regexp2/v2"
	"github.com/helve-dev/helve/internal/lib/bounded"
	"github.com/helve-dev/helve/internal/lib/regex"
	"github.com/helve-dev/helve/tool"
)

type searchReplaceArgs struct {
	Text          string `json:"text" doc:"Text to change."`
	Search        string `json:"search" doc:"What to look for, taken literally unless regex is true." min:"1"`
	Replacement   string `json:"replacement" alias:"replace" doc:"What to put in its place; nothing when left out. With regex, $1, $<name> and $& refer to the match." default:""`
	Regex         bool   `json:"regex,omitempty" doc:"Take search as a regular expression as in JavaScript." default:"false"`
	CaseSensitive *bool  `json:"caseSensitive,omitempty" doc:"Tell capitals from small letters." default:"true"`
	WholeWord     bool   `json:"wholeWord,omitempty" doc:"Only where search is not a part of a longer word." default:"false"`
	All           *bool  `json:"all,omitempty" doc:"Replace every occurrence, not only the first." default:"true"`
}

type searchReplaced struct {
	Output       string `json:"output"`
	Replacements int    `json:"replacements" doc:"How many occurrences were replaced."`
}

// Present shows only the new text.
func (r *searchReplaced) Present(res *tool.Result) { res.Text = r.Output }

var _ = tool.Add(Set, tool.Spec[searchReplaceArgs, *searchReplaced]{
	Name: "search_replace",
	Description: "Replace a string, or what a regular expression matches, in a text, once or everywhere, and return the new text with the " +
		"number of replacements.",
	Tags:       []string{"search", "replace", "find and replace", "substitute", "edit text"},
	Group:      "textUtils",
	Errors:     []tool.Kind{},
	Example:    `{"text":"The cat saw another cat.","search":"cat","replacement":"dog"}`,
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Timeout:    10 * time.Second,
	Run:        searchReplace,
})

func searchReplace(ctx context.Context, _ *tool.Call, args searchReplaceArgs) (*searchReplaced, error) {
	all := args.All == nil || *args.All
	folded := args.CaseSensitive != nil && !*args.CaseSensitive
	if !args.Regex && !folded && !args.WholeWord {
		return replaceLiterally(args.Text, args.Search, args.Replacement, all)
	}
	pattern, flags := args.Search, ""
	if !args.Regex {
		pattern = regexp2.Escape(pattern)
	}
	if args.WholeWord {
		pattern = `(?<![\p{L}\p{N}\p{M}_])(?:` + pattern + `)(?![\p{L}\p{N}\p{M}_])`
	}
	if folded {
		flags += "i"
	}
	re, err := regex.Compile(pattern, flags)
	if err != nil {
		return nil, err
	}
	instead := regex.Literal(args.Replacement)
	if args.Regex {
		instead = regex.ReadReplacement(re, args.Replacement)
	}
	text := []rune(args.Text)
	output, count, err := regex.Replace(ctx, re, args.Text, all, func(out *strings.Builder, m *regexp2.Match) {
		instead.Write(out, m, text)
	})
	if err != nil {
		return nil, err
	}
	return &searchReplaced{Output: output, Replacements: count}, nil
}

func replaceLiterally(text, search, replace string, all bool) (*searchReplaced, error) {
	count := strings.Count(text, search)
	if !all {
		count = min(count, 1)
	}
	if len(text)+count*(len(replace)-len(search)) > bounded.MaxText {
		return nil, bounded.TooMuch()
	}
	return &searchReplaced{Output: strings.Replace(text, search, replace, count), Replacements: count}, nil
}
