package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/helve-dev/helve/client"
)

// answer asks the person for the answer to a question until it is valid or refused.
func (p *consentPrompt) answer(ctx context.Context, asked *client.Consent) error {
	if err := printText(p.out, fmt.Sprintf("%s asks: %s", asked.Tool, asked.Question)); err != nil {
		return err
	}
	for {
		given, err := p.fill(orderedParameters(asked.Schema))
		if err != nil {
			return err
		}
		err = p.tell(ctx, asked.ID, client.Decision{Grant: given != nil, Answer: given})
		wrong, ok := errors.AsType[*client.RequestError](err)
		if !ok || wrong.Type != client.BadRequest {
			return err
		}
		fmt.Fprintln(p.out, wrong.Message)
	}
}

// fill reads a line for each field, and returns nil if the person refuses to answer. An
// empty line leaves a field out; if no field is left, or the answer would be invalid,
// the person is asked whether to refuse.
func (p *consentPrompt) fill(fields []parameter) (json.RawMessage, error) {
	given := arguments{json: json.RawMessage("{}")}
	params := map[string]parameter{}
	for _, f := range fields {
		params[f.name] = f
		for {
			fmt.Fprint(p.out, f.prompt(len(fields) == 1))
			line, err := p.line()
			if err != nil {
				return nil, err
			}
			if line != "" {
				given.fields = append(given.fields, field{key: f.name, value: f.typed(line)})
				break
			}
			if !f.required || len(f.Default) > 0 {
				break
			}
			if refuses, err := p.refuses(); refuses || err != nil {
				return nil, err
			}
		}
	}
	if given.fields == nil {
		if refuses, err := p.refuses(); refuses || err != nil {
			return nil, err
		}
	}
	return given.encode(params), nil
}

func (p *consentPrompt) refuses() (bool, error) {
	fmt.Fprint(p.out, "refuse to answer? [y]es, [n]o ")
	line, err := p.line()
	return slices.Contains([]string{"y", "yes"}, strings.ToLower(line)), err
}

// line reads one line. The last line needs no line feed.
func (p *consentPrompt) line() (string, error) {
	line, err := p.in.ReadString('\n')
	if line = strings.TrimSpace(line); line != "" || err == nil {
		return line, nil
	}
	return "", fmt.Errorf("no answer was read: %w", err)
}

// prompt returns the text before the value of the field on its line; alone reports that
// there is no other field.
func (p parameter) prompt(alone bool) string {
	if alone && p.name == "answer" && slices.Equal(p.Types, typeNames{"string"}) && len(p.Enum) == 0 {
		return "answer: "
	}
	text := p.name + " (" + p.kind() + ", " + p.need() + ")"
	if p.Doc != "" {
		text += ", " + strings.TrimSuffix(p.Doc, ".")
	}
	return text + ": "
}

// typed returns a line as the value of the field: yes and no are booleans for a field
// that takes booleans.
func (p parameter) typed(line string) string {
	if !p.takes("boolean") {
		return line
	}
	switch strings.ToLower(line) {
	case "y", "yes", "true":
		return "true"
	case "n", "no", "false":
		return "false"
	}
	return line
}
