package openai

import (
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSpeak: the request has the form of the API reference, "Create speech"; the answer is
// the sound.
func TestSpeak(t *testing.T) {
	for field, model := range map[string]string{"": SpeechModel, "house": "house"} {
		c, _ := with(t, map[string]string{"tts_model": field}, func(w http.ResponseWriter, r *http.Request) {
			want := map[string]any{"model": model, "input": "Hello", "voice": "nova", "speed": 1.5, "response_format": "mp3"}
			if diff := cmp.Diff(want, decode(t, r)); diff != "" || r.URL.Path != "/v1/audio/speech" {
				t.Errorf("%s (-want +got):\n%s", r.URL, diff)
			}
			w.Header().Set("Content-Type", "audio/mpeg")
			_, _ = io.WriteString(w, "sound")
		})
		resp, got, err := c.Speak(t.Context(), Speech{Text: "Hello", Voice: "nova", Speed: 1.5, Format: "mp3"})
		if err != nil || got != model {
			t.Fatalf("Speak: model %q, %v", got, err)
		}
		data, err := io.ReadAll(resp.Body)
		if err != nil || string(data) != "sound" || resp.Body.Close() != nil {
			t.Errorf("sound %q, %v", data, err)
		}
	}
}
