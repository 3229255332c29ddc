package utilities

import (
	"context"
	"time"

	"github.com/helve-dev/helve/tool"
)

type changeCaseArgs struct {
	Text string `json:"text" doc:"Text to rewrite."`
	Case string `json:"case" doc:"upper and lower change letters only; camel to dot make one identifier; toggle swaps capitals and small letters." enum:"upper,lower,title,sentence,camel,pascal,snake,constant,kebab,dot,toggle"`
}

// inputOutput is what several small tools answer.
type inputOutput struct {
	Input  string `json:"input" doc:"The text, its first 50 characters if it is longer."`
	Output string `json:"output"`
}

// Present shows a model the output and nothing else.
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
	"upper":    upperCase,
	"lower":    lowerCase,
	"title":    titleCase,
	"sentence": sentenceCase,
	"camel":    camelCase,
	"pascal":   pascalCase,
	"snake":    snakeCase,
	"constant": shoutCase,
	"kebab":    kebabCase,
	"dot":      dotCase,
	"toggle":   toggleCase,
}

func changeCase(_ context.Context, _ *tool.Call, args changeCaseArgs) (*inputOutput, error) {
	return &inputOutput{Input: echoText(args.Text), Output: caseChanges[args.Case](args.Text)}, nil
}
