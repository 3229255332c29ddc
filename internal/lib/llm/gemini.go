package llm

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/helve-dev/helve/internal/lib/outward"
)

// gemini is the API of generateContent, following the reference of the Gemini API
// (models.generateContent and structured output).
var gemini = api{service: geminiService, standard: "gemini-2.5-flash", request: geminiRequest, read: geminiReply}

type geminiContent struct {
	Role  string       `json:"role,omitempty"`
	Parts []geminiPart `json:"parts"`
}

type geminiPart struct {
	Text    string `json:"text"`
	Thought bool   `json:"thought,omitempty"`
}

func geminiRequest(model string, p prompt) outward.Request {
	body := struct {
		System   geminiContent   `json:"systemInstruction"`
		Contents []geminiContent `json:"contents"`
		Config   map[string]any  `json:"generationConfig,omitempty"`
	}{System: geminiContent{Parts: []geminiPart{{Text: p.system}}}, Contents: []geminiContent{{"user", []geminiPart{{Text: p.user}}}}}
	if p.schema != nil {
		body.Config = map[string]any{"responseMimeType": "application/json"}
		if !p.loose {
			body.Config["responseJsonSchema"] = p.schema
		}
	}
	if !strings.Contains(model, "/") {
		model = "models/" + model
	}
	return outward.Request{Method: http.MethodPost, Path: "v1beta/" + model + ":generateContent", JSON: body}
}

func geminiReply(body []byte) (reply, error) {
	var got struct {
		Candidates []struct {
			Content geminiContent `json:"content"`
			Finish  string        `json:"finishReason"`
		} `json:"candidates"`
		Feedback struct {
			Reason string `json:"blockReason"`
		} `json:"promptFeedback"`
		Usage struct {
			Input   int `json:"promptTokenCount"`
			Output  int `json:"candidatesTokenCount"`
			Thought int `json:"thoughtsTokenCount"`
		} `json:"usageMetadata"`
	}
	if err := json.Unmarshal(body, &got); err != nil {
		return reply{}, errors.New("it is no answer of generateContent")
	}
	r := reply{input: got.Usage.Input, output: got.Usage.Output + got.Usage.Thought, refused: got.Feedback.Reason}
	if len(got.Candidates) == 0 {
		if r.refused != "" {
			return r, nil
		}
		return r, errors.New("it has no candidate")
	}
	var text strings.Builder
	for _, part := range got.Candidates[0].Content.Parts {
		if !part.Thought {
			text.WriteString(part.Text)
		}
	}
	r.text = text.String()
	switch finish := got.Candidates[0].Finish; finish {
	case "", "STOP", "FINISH_REASON_UNSPECIFIED":
	case "MAX_TOKENS":
		r.cut = true
	default: // SAFETY, RECITATION, …
		r.refused = finish
	}
	return r, nil
}
