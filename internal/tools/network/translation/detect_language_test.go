package translation

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDetectLanguage(t *testing.T) {
	sure := func(language, name string) func(*testing.T, tool.Result) {
		return func(t *testing.T, res tool.Result) {
			t.Helper()
			var got detectResult
			if err := json.Unmarshal(res.Value, &got); err != nil {
				t.Fatal(err)
			}
			last := got.Confidence
			for _, c := range got.AlternativeCandidates {
				if c.Language == language || c.Confidence > last || c.LanguageName == "" {
					t.Errorf("alternatives %+v", got.AlternativeCandidates)
				}
				last = c.Confidence
			}
			if got.DetectedLanguage != language || got.LanguageName != name || got.Confidence < 0.5 || got.Confidence > 1 || len(res.Notes) != 0 ||
				len(got.Text) > 205 {
				t.Errorf("%+v, notes %q", got, res.Notes)
			}
		}
	}
	tooltest.Run(t, Set, "detect_language", tool.Call{}, []tooltest.Case{
		{Name: "German", Args: `{"text":"Ich möchte gerne ein Buch über die Geschichte Roms lesen."}`, Check: sure("de", "German")},
		{Name: "Turkish", Args: `{"text":"Bu hafta sonu hava nasıl olacak?"}`, Check: sure("tr", "Turkish")},
		{Name: "a long text", Args: `{"text":"` + strings.Repeat("Where is the library? ", 100) + `"}`, Check: sure("en", "English")},
		{
			Name: "a script of its own",
			Args: `{"text":"안녕하세요"}`,
			Want: `{"text":"안녕하세요","detectedLanguage":"ko","languageName":"Korean","confidence":1,"alternativeCandidates":[]}`,
		},
		{Name: "no letters", Args: `{"text":"12345"}`,
			Want: `{"text":"12345","detectedLanguage":"und","languageName":"Unknown","confidence":0,"alternativeCandidates":[]}`,
			Check: func(t *testing.T, res tool.Result) {
				t.Helper()
				if len(res.Notes) != 1 {
					t.Errorf("notes %q, want one that it is a guess", res.Notes)
				}
			}},
		{Name: "blank", Args: `{"text":" "}`, Fails: tool.ValidationError, Message: "blank"},
		{Name: "missing", Args: `{}`, Fails: tool.ValidationError, Message: "text"},
	})
}
