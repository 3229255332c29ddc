package toolsdoc

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"
)

// modelled lists the tools whose examples have an account of the service openai. The
// examples of other tools have no account.
var modelled = []string{
	"analyze_image", "edit_image", "generate_image", "image_variation", "speech_to_text", "text_to_speech", "translate_audio",
}

// account returns the services file of a tool's example.
func account(tool, tenant string) string {
	if tool == "search_web" {
		return "- {service: searxng, tenant: " + tenant + ", data: {base_url: https://search.example.net}}\n"
	}
	if !slices.Contains(modelled, tool) {
		return "[]\n"
	}
	return fmt.Sprintf("- {service: openai, tenant: %s, data: {api_key: k}}\n", tenant)
}

// models answers as the models of OpenAI's API do.
func models(t *testing.T, mux *http.ServeMux) {
	t.Helper()
	const host = "POST /api.openai.com/v1/"
	answer := func(path string, made func(r *http.Request) any) {
		mux.HandleFunc(host+path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if err := json.NewEncoder(w).Encode(made(r)); err != nil {
				t.Error(err)
			}
		})
	}
	pictures := func(n int) any {
		one := map[string]any{"b64_json": base64.StdEncoding.EncodeToString(picture(t))}
		return map[string]any{
			"created": 1767258000,
			"data":    slices.Repeat([]any{one}, n),
			"usage":   map[string]any{"input_tokens": 14, "output_tokens": 1056, "total_tokens": 1070},
		}
	}
	answer("chat/completions", func(*http.Request) any {
		message := map[string]any{"role": "assistant", "content": "There is no text in this picture."}
		return map[string]any{
			"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": "stop"}},
			"usage":   map[string]any{"prompt_tokens": 8521, "completion_tokens": 9, "total_tokens": 8530},
		}
	})
	answer("images/generations", func(*http.Request) any { return pictures(1) })
	answer("images/edits", func(*http.Request) any { return pictures(1) })
	answer("images/variations", func(*http.Request) any { return pictures(2) })
	segment := map[string]any{"id": 0, "start": 0, "end": 3, "text": " Beep."}
	answer("audio/transcriptions", func(*http.Request) any {
		return map[string]any{"task": "transcribe", "language": "english", "duration": 3, "text": "Beep.", "segments": []any{segment}}
	})
	answer("audio/translations", func(*http.Request) any { return map[string]any{"text": "Beep."} })
	mux.HandleFunc(host+"audio/speech", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "audio/wav")
		_, _ = w.Write(tone())
	})
}
