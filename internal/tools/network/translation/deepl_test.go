package translation

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/lib/tongue"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// TestDeepL: DeepL is asked as it publishes, with what the caller wishes.
func TestDeepL(t *testing.T) {
	call, all := provider(t, "deepl", upper)
	for name, tt := range map[string]struct {
		args string
		want map[string]any
	}{
		"plain": {`{"text":"Hello, world!","targetLanguage":"German"}`, map[string]any{"text": []any{"Hello, world!"}, "target_lang": "DE"}},
		"source": {
			`{"text":"x","targetLanguage":"en","sourceLanguage":"pt-BR"}`,
			map[string]any{"text": []any{"x"}, "target_lang": "EN-US", "source_lang": "PT"},
		},
		"auto": {
			`{"text":"x","targetLanguage":"pt-BR","sourceLanguage":"auto","formality":"default","preserveFormatting":false}`,
			map[string]any{"text": []any{"x"}, "target_lang": "PT-BR"},
		},
		"all": {
			`{"text":"x","targetLanguage":"de","sourceLanguage":"English","formality":"less","glossary":"def3a26b","context":"A joke.","preserveFormatting":true}`,
			map[string]any{
				"text": []any{"x"}, "target_lang": "DE", "source_lang": "EN", "formality": "less", "glossary_id": "def3a26b", "context": "A joke.",
				"preserve_formatting": true,
			},
		},
	} {
		*all = nil
		tooltest.Run(t, Set, "translate_text", call, []tooltest.Case{{Name: name, Args: tt.args, Check: func(t *testing.T, res tool.Result) {
			t.Helper()
			got := (*all)[0]
			if diff := cmp.Diff(tt.want, got.body); diff != "" || got.Method != "POST" || got.URL.Path != "/v2/translate" ||
				got.Header.Get("Authorization") != "DeepL-Auth-Key secret-key" || got.Header.Get("Content-Type") != "application/json" {
				t.Errorf("%s %s, %v, body (-want +got):\n%s", got.Method, got.URL, got.Header, diff)
			}
			if len(res.Notes) != 0 || len(*all) != 1 {
				t.Errorf("notes %q, %d requests", res.Notes, len(*all))
			}
		}}})
	}
	tooltest.Run(t, Set, "translate_text", call, []tooltest.Case{
		{
			Name: "a glossary without a source", Args: `{"text":"x","targetLanguage":"de","glossary":"g"}`, Fails: tool.ValidationError,
			Message: "DeepL needs sourceLanguage",
		},
		{
			Name: "an unknown formality", Args: `{"text":"x","targetLanguage":"de","formality":"rude"}`, Fails: tool.ValidationError,
			Message: "formality",
		},
	})
}

// TestDeepLAddress: keys of the free plan go to its server, unless the entry names one.
func TestDeepLAddress(t *testing.T) {
	for want, data := range map[string]map[string]string{
		"api.deepl.com": {"api_key": "k"}, "api-free.deepl.com": {"api_key": " k:fx\n"},
		"own.example": {"api_key": "k:fx", "base_url": "https://own.example"},
	} {
		c, err := deepL("to test").With(&tool.Call{}, tool.ServiceEntry{Data: data})
		if err != nil || c.Host() != want {
			t.Errorf("%v: %v, %v, want %s", data, c, err, want)
		}
	}
}

func TestDeepLCodes(t *testing.T) {
	for text, want := range map[string]string{
		"de": "DE", "de-CH": "DE", "en": "EN-US", "en-GB": "EN-GB", "en-AU": "EN-US", "pt": "PT-PT", "pt-BR": "PT-BR", "zh": "ZH",
		"zh-CN": "ZH-HANS", "zh-TW": "ZH-HANT", "zh-MO": "ZH-HANT", "es-419": "ES-419", "no": "NB", "iw": "HE",
	} {
		l, ok := tongue.Find(text)
		if got := deepLTarget(l); !ok || got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if deepLSource(tongue.Language{}) != "" {
		t.Error("no source has a code")
	}
}
