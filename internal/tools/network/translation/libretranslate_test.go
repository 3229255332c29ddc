package translation

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/lib/tongue"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// TestLibreTranslate: a LibreTranslate server is asked as its guide shows, one text as a
// text and several as a list.
func TestLibreTranslate(t *testing.T) {
	answer := ""
	call, all := provider(t, "libretranslate", func(int, request) (int, string) { return 200, answer })
	want := func(want map[string]any, notes int) func(*testing.T, tool.Result) {
		return func(t *testing.T, res tool.Result) {
			t.Helper()
			got := (*all)[len(*all)-1]
			if diff := cmp.Diff(want, got.body); diff != "" || got.Method != "POST" || got.URL.Path != "/translate" ||
				got.Header.Get("Authorization") != "" {
				t.Errorf("%s %s, %v, body (-want +got):\n%s", got.Method, got.URL, got.Header, diff)
			}
			if len(res.Notes) != notes {
				t.Errorf("notes %q, want %d", res.Notes, notes)
			}
		}
	}
	answer = `{"detectedLanguage":{"confidence":90.0,"language":"fr"},"translatedText":"Hello!"}`
	tooltest.Run(t, Set, "translate_text", call, []tooltest.Case{
		{
			Name: "detected", Args: `{"text":"Bonjour!","targetLanguage":"en"}`,
			Want:  `{"originalText":"Bonjour!","translatedText":"Hello!","sourceLanguage":"fr","targetLanguage":"en","provider":"libretranslate"}`,
			Check: want(map[string]any{"q": "Bonjour!", "source": "auto", "target": "en", "format": "text", "api_key": "secret-key"}, 0),
		},
		{
			Name: "wishes that it does not know",
			Args: `{"text":"Bonjour!","targetLanguage":"pt-BR","sourceLanguage":"French","formality":"more","context":"c","glossary":"g"}`,
			Want: `{"originalText":"Bonjour!","translatedText":"Hello!","sourceLanguage":"fr","targetLanguage":"pt-BR","provider":"libretranslate"}`,

			Check: want(map[string]any{"q": "Bonjour!", "source": "fr", "target": "pb", "format": "text", "api_key": "secret-key"}, 1),
		},
	})
	answer =
		`{"detectedLanguage":[{"confidence":90.0,"language":"fr"},{"confidence":80.0,"language":"zh"}],"translatedText":["Hello!","World"]}`
	tooltest.Run(t, Set, "batch_translate", call, []tooltest.Case{{
		Name: "several", Args: `{"texts":["Bonjour!","世界"],"targetLanguage":"en"}`,
		Want: `{"results":[{"originalText":"Bonjour!","translatedText":"Hello!","sourceLanguage":"fr","targetLanguage":"en","provider":"libretranslate"},
			{"originalText":"世界","translatedText":"World","sourceLanguage":"zh","targetLanguage":"en","provider":"libretranslate"}],"count":2,"targetLanguage":"en"}`,
		Check: want(map[string]any{"q": []any{"Bonjour!", "世界"}, "source": "auto", "target": "en", "format": "text", "api_key": "secret-key"}, 0),
	}})
	answer = `{"translatedText":"¡Hola!"}` // an answer to a known source
	tooltest.Run(t, Set, "translate_text", call, []tooltest.Case{
		{
			Name: "without a language",
			Args: `{"text":"Hi","targetLanguage":"es","sourceLanguage":"en"}`,
			Want: `{"originalText":"Hi","translatedText":"¡Hola!","sourceLanguage":"en","targetLanguage":"es","provider":"libretranslate"}`,
		},
	})
	for _, answer = range []string{`{}`, `{"translatedText":["a","b"]}`, `{"translatedText":7}`, `[]`, `<html>`, `{"translatedText":" "}`} {
		tooltest.Run(t, Set, "translate_text", call, []tooltest.Case{
			{Name: answer, Args: `{"text":"Hi","targetLanguage":"es"}`, Fails: tool.ExecutionError},
		})
	}
}

func TestLibreCodes(t *testing.T) {
	for text, want := range map[string]string{
		"de": "de", "en-GB": "en", "pt-BR": "pb", "pt-PT": "pt", "zh": "zh", "zh-Hans": "zh", "zh-TW": "zt", "nb": "nb",
	} {
		l, ok := tongue.Find(text)
		if got := libreCode(l); !ok || got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
