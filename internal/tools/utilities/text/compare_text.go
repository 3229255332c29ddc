package text

import (
	"context"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/grapheme"
	"github.com/helve-dev/helve/internal/lib/textcount"
	"github.com/helve-dev/helve/internal/lib/textdiff"
	"github.com/helve-dev/helve/tool"
)

type compareTextArgs struct {
	Text1 string `json:"text1" doc:"First text."`
	Text2 string `json:"text2" doc:"Second text."`
	Mode  string `json:"mode,omitempty" doc:"What to compare: whole lines, words between spaces, or characters as a reader sees them." enum:"lines,words,chars" default:"lines"`

	LineEndings bool `json:"lineEndings,omitempty" doc:"Also compare how lines end; otherwise those of Windows, Unix and old Macs are equal." default:"false"`
}

type unitCount struct {
	Count int `json:"count"`
}

type comparedTexts struct {
	Identical    bool      `json:"identical" doc:"Whether the texts are equal, apart from line endings unless those are compared too."`
	Similarity   float64   `json:"similarity" doc:"Percent of the longer text that both have in common, in the same order."`
	Mode         string    `json:"mode"`
	Text1Stats   unitCount `json:"text1Stats" doc:"Units of the first text: lines, words or characters."`
	Text2Stats   unitCount `json:"text2Stats"`
	Added        []string  `json:"added" doc:"Units that only the second text has there, in order, at most 1000."`
	Removed      []string  `json:"removed" doc:"Units that only the first text has there, in order, at most 1000."`
	AddedCount   int       `json:"addedCount"`
	RemovedCount int       `json:"removedCount"`
	CommonCount  int       `json:"commonCount"`
	Approximate  bool      `json:"approximate,omitempty" doc:"True where long texts differ so much that more may be common than was found."`

	hunks string
}

// maxListedUnits limits the units that added and removed list.
const maxListedUnits = 1000

// Present shows the differences of lines as patches.
func (r *comparedTexts) Present(res *tool.Result) {
	res.Text = r.hunks
	if r.AddedCount > len(r.Added) || r.RemovedCount > len(r.Removed) {
		res.Truncated = true
		res.Metadata = map[string]any{"added": r.AddedCount, "removed": r.RemovedCount}
	}
}

var _ = tool.Add(Set, tool.Spec[compareTextArgs, *comparedTexts]{
	Name: "compare_text",
	Description: "Compare two texts by lines, words or characters, to see what changed or how alike they are, and return what was added and " +
		"removed with the similarity in percent.",
	Tags:       []string{"compare", "diff", "similarity", "difference", "changes"},
	Group:      "utilities",
	Errors:     []tool.Kind{},
	Example:    `{"text1":"line1\nline2\nline3","text2":"line1\nline2\nline4","mode":"lines"}`,
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Timeout:    10 * time.Second,
	Run:        compareText,
})

func compareText(ctx context.Context, _ *tool.Call, args compareTextArgs) (*comparedTexts, error) {
	if !args.LineEndings {
		endings := strings.NewReplacer("\r\n", "\n", "\r", "\n")
		args.Text1, args.Text2 = endings.Replace(args.Text1), endings.Replace(args.Text2)
	}
	units1, units2 := unitsOf(args.Text1, args.Mode), unitsOf(args.Text2, args.Mode)
	diff, err := textdiff.Units(ctx, units1, units2)
	if err != nil {
		return nil, err
	}
	res := &comparedTexts{
		Identical: args.Text1 == args.Text2, Mode: args.Mode, Approximate: diff.Coarse,
		Text1Stats: unitCount{len(units1)}, Text2Stats: unitCount{len(units2)},
	}
	res.Removed, res.RemovedCount = marked(units1, diff.Removed)
	res.Added, res.AddedCount = marked(units2, diff.Added)
	res.CommonCount = len(units1) - res.RemovedCount
	res.Similarity = similarity(res.CommonCount, max(len(units1), len(units2)))
	if args.Mode == "lines" {
		res.hunks = textdiff.Hunks(units1, units2, diff)
	}
	return res, nil
}

// unitsOf splits text by mode. An empty text has no units.
func unitsOf(text, mode string) []string {
	switch {
	case text == "":
		return nil
	case mode == "chars":
		return grapheme.Split(text)
	case mode == "words":
		var words []string
		for word := range textcount.Words(text, true) {
			words = append(words, word)
		}
		return words
	default:
		return strings.Split(text, "\n")
	}
}

// marked lists the marked units, up to a limit, and counts them all.
func marked(units []string, marks []bool) (listed []string, count int) {
	listed = []string{}
	for i, unit := range units {
		if !marks[i] {
			continue
		}
		if count++; count <= maxListedUnits {
			listed = append(listed, unit)
		}
	}
	return listed, count
}

// similarity returns the share of common in all, in percent with two decimals. It is
// 100 only for equal texts.
func similarity(common, all int) float64 {
	if common == all {
		return 100
	}
	return min(hundredths(common*100, all), 99.99)
}
