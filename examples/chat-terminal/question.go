package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/tool"
)

// answer asks the person for the answer to a question. An empty line refuses it.
func (t *terminal) answer(ctx context.Context, q *client.Consent) error {
	t.print("["+q.Tool+"] asks: "+q.Question, true)
	prompt := "Answer (an empty line refuses): "
	if !inOwnWords(q.Schema) {
		t.print(tool.ParameterSummary(q.Schema), true)
		prompt = "Answer, a JSON object (an empty line refuses): "
	}
	for {
		t.print(prompt, false)
		line, err := t.line(ctx)
		if err != nil {
			return err
		}
		d := client.Decision{Grant: line != ""}
		switch {
		case !d.Grant:
		case inOwnWords(q.Schema):
			d.Answer, err = json.Marshal(map[string]string{"answer": line})
		case !json.Valid([]byte(line)) || !strings.HasPrefix(line, "{"):
			t.print("This is not a JSON object, such as {\"name\": \"value\"}.", true)
			continue
		default:
			d.Answer = json.RawMessage(line)
		}
		if err == nil {
			_, err = t.loop.Client.Decide(ctx, q.ID, d)
		}
		failed, ok := errors.AsType[*client.RequestError](err)
		if !ok || failed.Type != client.BadRequest && failed.Type != client.Conflict {
			return err
		}
		t.print(failed.Message, true)
		if failed.Type == client.Conflict {
			return nil
		}
	}
}

// inOwnWords reports whether a schema describes an answer of one text.
func inOwnWords(schema json.RawMessage) bool {
	var form struct {
		Properties map[string]struct {
			Type string            `json:"type"`
			Enum []json.RawMessage `json:"enum"`
		} `json:"properties"`
	}
	err := json.Unmarshal(schema, &form)
	field, ok := form.Properties["answer"]
	return err == nil && ok && len(form.Properties) == 1 && field.Type == "string" && len(field.Enum) == 0
}
