package text

import (
	"context"
	"time"

	"github.com/helve-dev/helve/internal/lib/grapheme"
	"github.com/helve-dev/helve/internal/lib/textcase"
	"github.com/helve-dev/helve/tool"
)

type changeCaseArgs struct {
	Text string `json:"text" doc:"Text to rewrite."`
	Case string `json:"case" doc:"upper and lower change letters only; camel to dot make one identifier; toggle swaps capitals and small letters." enum:"upper,lower,title,sentence,camel,pascal,snake,constant,kebab,dot,toggle"`
}

// inputOutput is the result of several small tools.
type inputOutput struct {
	Input  string `json:"input" doc:"The text, its first 50 characters if it is longer."`
	Output string `json:"output"`
}

// Present shows only the output.
func (r *inputOutput) Present(res *tool.Result) { res.Text = r.Output }

var _ = tool.Add(Set, tool.Spec[changeCaseArgs, *inputOutput]{
	Name:        "change_case",
	Description: "Rewrite a text in another case (upper, lower, title, sentence or an identifier style such as snake) and return it.",
	Tags:        []string{"case", "uppercase", "lowercase", "title case", "camelCase", "snake_case", "kebab-case"},
	Group:       "textUtils",
	Errors:      []tool.Kind{},
	Example:     `{"text":"HTTPServerID","case":"snake"}`,
	Risk:        tool.Low,
	Mutates:     false,
	Idempotent:  true,
	Timeout:     5 * time.Second,
	Run:         changeCase,
})

var caseChanges = map[string]func(string) string{
	"upper":    textcase.Upper,
	"lower":    textcase.Lower,
	"title":    textcase.Title,
	"sentence": textcase.Sentence,
	"camel":    textcase.Camel,
	"pascal":   textcase.Pascal,
	"snake":    textcase.Snake,
	"constant": textcase.Shout,
	"kebab":    textcase.Kebab,
	"dot":      textcase.Dot,
	"toggle":   textcase.Toggle,
}

func changeCase(_ context.Context, _ *tool.Call, args changeCaseArgs) (*inputOutput, error) {
	return &inputOutput{Input: grapheme.Echo(args.Text), Output: caseChanges[args.Case](args.Text)}, nil
}
