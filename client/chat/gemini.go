package chat

import (
	stdjson "encoding/json"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/client"
)

// geminiDialect implements Gemini's generateContent, following the reference of the
// Gemini API (models.streamGenerateContent).
var geminiDialect = dialect{
	base:      "https://generativelanguage.googleapis.com",
	keys:      []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"},
	path:      geminiPath,
	keyHeader: "X-Goog-Api-Key",
	user:      func(text string) any { return geminiContent{Role: "user", Parts: textParts(text)} },
	body:      geminiBody,
	assemble:  func(s *speech, _ int) assembler { return &contents{speech: s} },
}

// geminiPath accepts the name of a model, or its collection and name: tunedModels/mine.
func geminiPath(o *Options) string {
	name := o.Model
	if !strings.Contains(name, "/") {
		name = "models/" + name
	}
	segments := strings.Split(name, "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	return "/v1beta/" + strings.Join(segments, "/") + ":streamGenerateContent?alt=sse"
}

// geminiContent is an item of a conversation.
type geminiContent struct {
	Role  string           `json:"role,omitzero"`
	Parts []jsontext.Value `json:"parts"`
}

func textParts(text string) []jsontext.Value {
	return []jsontext.Value{jsontext.Value(`{"text":` + string(quoted(text)) + `}`)}
}

func geminiBody(o *Options, conversation []stdjson.RawMessage, tools stdjson.RawMessage) any {
	body := struct {
		Contents []stdjson.RawMessage `json:"contents"`
		Tools    stdjson.RawMessage   `json:"tools,omitzero"`
		System   *geminiContent       `json:"systemInstruction,omitzero"`
		Config   map[string]int       `json:"generationConfig,omitzero"`
	}{Contents: conversation, Tools: tools}
	if o.System != "" {
		body.System = &geminiContent{Parts: textParts(o.System)}
	}
	if o.MaxTokens > 0 {
		body.Config = map[string]int{"maxOutputTokens": o.MaxTokens}
	}
	return body
}

// contents assembles the parts of the first candidate.
type contents struct {
	*speech
	parts          partList
	finish, remark string // finishReason and its finishMessage
	blocked        string // promptFeedback.blockReason
	tokens         count
}

type geminiChunk struct {
	Candidates []struct {
		Index   int `json:"index"`
		Content struct {
			Parts []jsontext.Value `json:"parts"`
		} `json:"content"`
		Reason string `json:"finishReason"`
		Remark string `json:"finishMessage"`
	} `json:"candidates"`
	Feedback struct {
		Reason string `json:"blockReason"`
		Remark string `json:"blockReasonMessage"`
	} `json:"promptFeedback"`
	Usage struct {
		Total count `json:"totalTokenCount"`
	} `json:"usageMetadata"`
	Error jsontext.Value `json:"error"`
}

func (a *contents) event(data jsontext.Value) (bool, error) {
	var c geminiChunk
	if err := json.Unmarshal(data, &c, lenient); err != nil {
		return false, malformed("an event is no answer of generateContent", err)
	}
	if given(c.Error) {
		return false, errorIn(data)
	}
	a.tokens = max(a.tokens, c.Usage.Total)
	if c.Feedback.Reason != "" {
		a.blocked, a.remark = c.Feedback.Reason, c.Feedback.Remark
	}
	for _, candidate := range c.Candidates {
		if candidate.Index != 0 {
			continue
		}
		if candidate.Reason != "" {
			a.finish, a.remark = candidate.Reason, candidate.Remark
		}
		for _, part := range candidate.Content.Parts {
			text, err := a.parts.add(part)
			if err != nil {
				return false, malformed("a part of its answer is none of generateContent's", err)
			}
			a.say(text)
		}
	}
	return false, nil // the stream has no end mark
}

// whole processes a chunk, or a list of chunks, as the API streams without alt=sse.
func (a *contents) whole(answer jsontext.Value) error {
	chunks := []jsontext.Value{answer}
	if answer.Kind() == '[' {
		if err := json.Unmarshal(answer, &chunks, lenient); err != nil {
			return malformed("its answer is none of generateContent", err)
		}
	}
	for _, c := range chunks {
		if _, err := a.event(c); err != nil {
			return err
		}
	}
	return nil
}

func (a *contents) turn() (client.Turn, error) {
	if a.finish == "" && a.blocked == "" {
		return client.Turn{}, cut()
	}
	t := client.Turn{Calls: a.parts.calls, CutOff: a.finish == "MAX_TOKENS", Tokens: int(a.tokens)}
	switch a.finish {
	case "", "SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION":
		t.Refused = true
	case "STOP", "MAX_TOKENS":
		t.Refused = a.blocked != ""
	case "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "MISSING_THOUGHT_SIGNATURE":
		return client.Turn{}, a.endError()
	default:
		if len(a.parts.list) == 0 {
			return client.Turn{}, a.endError()
		}
	}
	if t.Refused {
		a.explain(a.why())
	}
	answer := geminiContent{Role: "model", Parts: a.parts.written()}
	item, err := json.Marshal(answer, written)
	if err != nil {
		return client.Turn{}, malformed("its answer cannot be put together", err)
	}
	t.Message, t.Text = item, a.said.String()
	if len(answer.Parts) > 0 { // Gemini refuses content without parts
		t.Append = []stdjson.RawMessage{item}
	}
	return t, nil
}

// why returns the reason of a refusal.
func (a *contents) why() string {
	if a.remark != "" {
		return a.remark
	}
	if a.blocked != "" {
		return "The provider declined to answer (" + a.blocked + ")."
	}
	return "The provider declined to answer (" + a.finish + ")."
}

// endError returns the error for an end without an answer: the model made a call that the
// API could not use.
func (a *contents) endError() error {
	e := &client.ModelError{Temporary: true, Msg: "the model ended without an answer (" + a.finish + "); ask again"}
	if a.remark != "" {
		e.Msg += "; it says: " + a.remark
	}
	return e
}
