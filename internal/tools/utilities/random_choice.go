package utilities

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/random"
	"github.com/helve-dev/helve/tool"
)

type randomChoiceArgs struct {
	Items  json.RawMessage `json:"items" alias:"choices,array" doc:"What to choose from: a JSON array of any values, as text or as it is, or text with a choice on each line or between commas."`
	Count  *int            `json:"count,omitempty" doc:"How many to choose." default:"1"`
	Unique bool            `json:"unique,omitempty" doc:"Choose no entry twice; false puts each back." default:"true"`
}

type randomChoiceResult struct {
	Choice  json.RawMessage   `json:"choice,omitempty" doc:"What was chosen, if one was asked for."`
	Index   *int              `json:"index,omitempty" doc:"Where choice stands in the list, counted from 0."`
	Choices []json.RawMessage `json:"choices,omitempty" doc:"What was chosen, if more were asked for, in the order it was drawn."`
	Count   int               `json:"count"`
	Total   int               `json:"total" doc:"How many there were to choose from."`
}

const (
	maxChoices = 10_000
	maxChosen  = 1000
)

var _ = tool.Add(Set, tool.Spec[randomChoiceArgs, randomChoiceResult]{
	Name: "random_choice",
	Description: "Pick one or several entries of a list at random, each with the same chance, to decide, draw winners or shuffle; " +
		"returns what was picked.",
	Tags:       []string{"random choice", "pick", "choose", "random", "shuffle", "winner", "decide", "sample"},
	Group:      "generation",
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Errors:     []tool.Kind{},
	Example:    `{"items": "[\"pizza\", \"sushi\", \"salad\"]"}`,
	Timeout:    10 * time.Second,
	Run:        randomChoice,
})

func randomChoice(_ context.Context, _ *tool.Call, args randomChoiceArgs) (randomChoiceResult, error) {
	choices, err := readChoices(args.Items)
	if err != nil {
		return randomChoiceResult{}, err
	}
	count := random.Count(args.Count, 1, maxChosen)
	if args.Unique && count > len(choices) {
		return randomChoiceResult{}, tool.Fail(tool.ValidationError,
			"%d cannot be chosen of %d without choosing one twice. Choose fewer, or set unique to false.", count, len(choices))
	}
	res := randomChoiceResult{Count: count, Total: len(choices)}
	if count == 1 {
		at := random.Below(len(choices))
		res.Choice, res.Index = choices[at], &at
		return res, nil
	}
	for i := range count {
		from := 0
		if args.Unique {
			from = i
		}
		at := from + random.Below(len(choices)-from)
		res.Choices = append(res.Choices, choices[at])
		if args.Unique {
			choices[i], choices[at] = choices[at], choices[i]
		}
	}
	return res, nil
}

func readChoices(raw json.RawMessage) ([]json.RawMessage, error) {
	raw = bytes.TrimSpace(raw)
	var text string
	if json.Unmarshal(raw, &text) == nil {
		raw = []byte(strings.TrimSpace(text))
	}
	var choices []json.RawMessage
	if !bytes.HasPrefix(raw, []byte("[")) {
		choices = splitChoices(text)
	} else if err := json.Unmarshal(raw, &choices); err != nil {
		return nil, tool.Fail(tool.ValidationError,
			"The choices are not a valid JSON array. Give one such as [\"a\", \"b\"], or text with commas.").Because(err)
	}
	switch {
	case len(choices) == 0:
		return nil, tool.Fail(tool.ValidationError, "There is nothing to choose from. Give a list such as [\"a\", \"b\"].")
	case len(choices) > maxChoices:
		return nil, tool.Fail(tool.ValidationError, "There are %d choices. Give at most %d.", len(choices), maxChoices)
	}
	return choices, nil
}

// splitChoices splits text at its line breaks or, if it has none, at its commas.
func splitChoices(text string) []json.RawMessage {
	separator := ","
	if strings.Contains(strings.TrimSpace(text), "\n") {
		separator = "\n"
	}
	var choices []json.RawMessage
	for part := range strings.SplitSeq(text, separator) {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		if quoted, err := json.Marshal(part); err == nil {
			choices = append(choices, quoted)
		}
	}
	return choices
}
