package tongue

import (
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	for text, want := range map[string]string{
		"de": "de", "DE": "de", "German": "de", "gERMAN": "de", "Deutsch": "de", "pt-BR": "pt-BR", "pt_br": "pt-BR", "PT-BR": "pt-BR",
		"Brazilian  Portuguese": "pt-BR", "Portuguese (Brazil)": "pt-BR", "Portuguese": "pt",
		"Chinese": "zh", "Simplified Chinese": "zh-Hans", "Chinese (Simplified)": "zh-Hans", "Chinese (Traditional)": "zh-Hant",
		"zh-CN": "zh-Hans", "zh-TW": "zh-Hant", "简体中文": "zh-Hans", "日本語": "ja", "Türkçe": "tr",
		"iw": "he", "Norwegian": "nb", "no": "nb", "farsi": "fa", "English (United States)": "en-US", "british english": "en-GB",
		"American English": "en-US", "es-419": "es-419", "tlh": "tlh", "en-AU": "en-AU", "de-CH": "de-CH", " it ": "it",
		"xx": "", "klingon": "", "": "", "und": "", "auto": "", "the language of love": "", "\xff": "",
	} {
		got, ok := Find(text)
		if ok != (want != "") || got.Code != want || ok && got.Name == "" {
			t.Errorf("Find(%q) = %+v, %v, want %q", text, got, ok, want)
		}
	}
}

func TestAll(t *testing.T) {
	all := All()
	for i, l := range all {
		if again, ok := Find(l.Name); !ok || again.Code != l.Code {
			t.Errorf("%s: its name %q finds %q", l.Code, l.Name, again.Code)
		}
		if i > 0 && all[i-1].Code >= l.Code {
			t.Errorf("%s comes after %s", l.Code, all[i-1].Code)
		}
	}
	for name, code := range synonyms {
		if got, ok := Find(name); !ok || got.Code != code {
			t.Errorf("%s finds %+v, want %s", name, got, code)
		}
	}
	if got := Near("Germann"); got != "German" {
		t.Errorf("Near = %s", got)
	}
}

func TestForms(t *testing.T) {
	for code, want := range map[string]struct {
		base        string
		traditional bool
	}{"pt-BR": {"pt", false}, "zh-Hant": {"zh", true}, "zh-MO": {"zh", true}, "zh": {"zh", false}, "ja": {"ja", false}} {
		l, ok := Find(code)
		if !ok || l.Base() != want.base || l.Traditional() != want.traditional {
			t.Errorf("%s: %s, %v", code, l.Base(), l.Traditional())
		}
	}
	if strings.Contains(codes, "  ") {
		t.Error("codes has two blanks")
	}
}
