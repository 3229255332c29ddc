package chat

import (
	"bufio"
	"bytes"
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/client"
)

type model struct {
	o    Options
	d    *dialect
	http http.Client
}

// Format returns the provider's name, which is the format's.
func (m *model) Format() string { return m.o.Provider }

// User returns the provider's message for a person's text.
func (m *model) User(text string) stdjson.RawMessage {
	item, _ := json.Marshal(m.d.user(text), written) // text always marshals
	return item
}

// Ask implements [client.Model].
func (m *model) Ask(
	ctx context.Context, conversation []stdjson.RawMessage, tools stdjson.RawMessage, text func(piece string),
) (client.Turn, error) {
	body, err := m.body(conversation, tools)
	if err != nil {
		return client.Turn{}, err
	}
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	idle := &watch{limit: m.o.Idle, timer: time.AfterFunc(m.o.Idle, func() { cancel(errSilent) })}
	defer idle.timer.Stop()

	turn, err := m.ask(inner, idle, body, m.d.assemble(&speech{give: text}, len(conversation)))
	switch {
	case err == nil:
		return turn, nil
	case ctx.Err() != nil:
		return client.Turn{}, context.Cause(ctx)
	case errors.Is(context.Cause(inner), errSilent):
		return client.Turn{}, silent(m.o.Idle)
	}
	return client.Turn{}, m.discreet(err)
}

// body returns a request. Its error is the caller's mistake and not a
// [client.ModelError].
func (m *model) body(conversation []stdjson.RawMessage, tools stdjson.RawMessage) ([]byte, error) {
	for i, item := range conversation {
		if !object(jsontext.Value(item)) {
			return nil, fmt.Errorf("item %d of the conversation is no JSON object; append what User and Turn.Append hold", i)
		}
	}
	if len(tools) > 0 && !jsontext.Value(tools).IsValid(lenient) {
		return nil, errors.New("the definitions of tools are no JSON; give those of Client.ToolsAs")
	}
	if noTools(jsontext.Value(tools)) {
		tools = nil
	}
	return json.Marshal(m.d.body(&m.o, conversation, tools), written)
}

// noTools reports whether no tool is defined, in any of the formats: providers refuse
// an empty list.
func noTools(tools jsontext.Value) bool {
	var list []struct {
		Declarations []jsontext.Value          `json:"functionDeclarations"` // Gemini's
		Rest         map[string]jsontext.Value `json:",embed"`
	}
	if len(tools) == 0 {
		return true
	}
	if json.Unmarshal(tools, &list, lenient) != nil {
		return false // the provider reports what is wrong with it
	}
	for _, t := range list {
		if len(t.Declarations) > 0 || len(t.Rest) > 0 {
			return false
		}
	}
	return true
}

// ask sends a request and assembles the answer, streamed or not.
func (m *model) ask(ctx context.Context, idle *watch, body []byte, a assembler) (client.Turn, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.o.BaseURL+m.d.path(&m.o), bytes.NewReader(body))
	if err != nil {
		return client.Turn{}, unreachable(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("User-Agent", "helve-client")
	for name, value := range m.d.header {
		req.Header.Set(name, value)
	}
	if m.o.Key != "" {
		req.Header.Set(m.d.keyHeader, m.d.keyPrefix+m.o.Key)
	}
	resp, err := m.http.Do(req)
	if err != nil {
		return client.Turn{}, unreachable(err)
	}
	defer resp.Body.Close()
	in := &bounded{in: resp.Body, left: longestAnswer, idle: idle}
	if resp.StatusCode/100 != 2 {
		return client.Turn{}, m.refused(resp, in)
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	answer := bufio.NewReader(in)
	if kind == "" {
		kind = sniffed(answer)
	}
	switch kind {
	case "application/json":
		whole, err := io.ReadAll(answer)
		if err != nil {
			return client.Turn{}, lost(err)
		}
		return readWhole(whole, a)
	case "text/html":
		return client.Turn{}, misplaced("it answered with a page for people")
	default:
		return readStream(answer, a)
	}
}

// sniffed returns the type of an answer without one.
func sniffed(body *bufio.Reader) string {
	head, _ := body.Peek(1) // what fails here fails again when it is read
	switch string(head) {
	case "{":
		return "application/json"
	case "<":
		return "text/html"
	}
	return ""
}
