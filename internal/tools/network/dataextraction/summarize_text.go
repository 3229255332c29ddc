package dataextraction

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/helve-dev/helve/internal/lib/llm"
	"github.com/helve-dev/helve/internal/lib/textcount"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/internal/lib/textsplit"
	"github.com/helve-dev/helve/tool"
)

type summarizeArgs struct {
	Text      string  `json:"text" doc:"Text to sum up; \"\" with path. At most 960000 bytes."`
	MaxLength float64 `json:"maxLength,omitempty" doc:"Words of the summary, at most 2000." default:"100"`
	Style     string  `json:"style,omitempty" doc:"Form of the summary." enum:"bullet_points,paragraph,tldr,executive" default:"paragraph"`
	Focus     string  `json:"focus,omitempty" doc:"What the summary should be about." max:"500"`
	Path      string  `json:"path,omitempty" doc:"Text file of the workspace to read in place of text."`
}

type summarizeResult struct {
	Summary          string `json:"summary"`
	InputWordCount   int    `json:"inputWordCount"`
	SummaryWordCount int    `json:"summaryWordCount"`
	CompressionRatio string `json:"compressionRatio" doc:"Words of the summary in percent of those of the text."`
	Style            string `json:"style"`
	Model            string `json:"model"`
}

// Present shows only the summary.
func (r *summarizeResult) Present(res *tool.Result) { res.Text = r.Summary }

var _ = tool.Add(Set, tool.Spec[summarizeArgs, *summarizeResult]{
	Name:        "summarize_text",
	Description: "Sum up a text in at most maxLength words, by the configured model; return the summary and the numbers of words.",
	Tags:        []string{"summarize", "summary", "brief", "tldr"},
	Errors: []tool.Kind{
		tool.NotConfigured, tool.NetworkError, tool.ExecutionError, tool.PathNotAllowed, tool.FileNotFound, tool.FileTooLarge,
	},
	Example:   `{"text":"The meeting is moved from Friday to Monday at 10:00, because Grace is ill.","style":"tldr"}`,
	Risk:      tool.Medium,
	Mutates:   false,
	OpenWorld: true,
	Scopes:    tool.Scopes{Paths: []string{"workspace"}, Hosts: []string{"*"}}, // base_url may name any host
	Needs:     tool.NeedFiles | tool.NeedHTTP | tool.NeedSecrets,
	Timeout:   longest,
	Check:     checkSummarize,
	Run:       summarize,
})

const summarizeUse = "to summarize texts (summarize_text)"

// Bounds of maxLength, in words.
const (
	usualWords = 100
	mostWords  = 2000
	noteWords  = 400 // of the notes on a section
)

// styles has the instruction for each style.
var styles = map[string]string{
	"bullet_points": `as a list of the main points, each on a line that begins with "- "`,
	"paragraph":     "as running text in one paragraph",
	"tldr":          "in one or two short sentences",
	"executive":     "as an executive summary: first the conclusion, then the facts and figures that a decision needs",
}

func checkSummarize(ctx context.Context, call *tool.Call, args summarizeArgs) error {
	if err := oneSource(args.Text, args.Path); err != nil {
		return err
	}
	_, err := llm.Open(ctx, call, summarizeUse)
	return err
}

func summarize(ctx context.Context, call *tool.Call, args summarizeArgs) (*summarizeResult, error) {
	model, err := llm.Open(ctx, call, summarizeUse)
	if err != nil {
		return nil, err
	}
	text, err := source(call, args.Text, args.Path)
	if err != nil {
		return nil, err
	}
	words := usualWords
	if args.MaxLength >= 1 {
		words = int(min(args.MaxLength, mostWords))
	}
	about := ""
	if focus := strings.TrimSpace(args.Focus); focus != "" {
		about = " Keep to what concerns " + strconv.Quote(focus) + "."
	}
	const task = "Sum up the member text of the data in its own language, %s, in at most %d words.%s Say only what the text says. " +
		"Write the summary and nothing else."
	whole, err := condense(ctx, model, text, about)
	if err != nil {
		return nil, err
	}
	summary, err := model.Text(ctx, llm.Ask{Task: fmt.Sprintf(task, styles[args.Style], words, about), Data: map[string]any{"text": whole}})
	if err != nil {
		return nil, err
	}
	res := &summarizeResult{
		Summary: summary, InputWordCount: textcount.Of(text).Words, SummaryWordCount: textcount.Of(summary).Words, Style: args.Style,
		Model: model.Name(),
	}
	res.CompressionRatio = percent(res.SummaryWordCount, res.InputWordCount)
	if res.SummaryWordCount > words {
		call.Note("The model wrote %d words, %d were asked for.", res.SummaryWordCount, words)
	}
	return res, nil
}

// condense returns a text that fits one request: the text itself, or notes on its sections.
func condense(ctx context.Context, model *llm.Model, text, about string) (string, error) {
	sections := textsplit.Split(text, sectionSize)
	if len(sections) == 1 {
		return text, nil
	}
	var notes strings.Builder
	for i, section := range sections {
		got, err := model.Text(ctx, llm.Ask{
			Task: fmt.Sprintf("The member text of the data is part %d of %d of a longer text. Note its facts, figures and conclusions in its own "+
				"language, in at most %d words.%s Write the notes and nothing else.", i+1, len(sections), noteWords, about),
			Data: map[string]any{"text": section},
		})
		if err != nil {
			return "", err
		}
		notes.WriteString(textcut.Head(got, sectionSize/maxSections) + "\n\n")
	}
	return notes.String(), nil
}

// percent returns a share of a whole, such as 12%.
func percent(part, whole int) string {
	if whole == 0 {
		return "0%"
	}
	return strconv.Itoa(int(math.Round(float64(part)*100/float64(whole)))) + "%"
}
