package translation

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestTranslateText(t *testing.T) {
	call, all := provider(t, "deepl", upper)
	tooltest.Run(t, Set, "translate_text", call, []tooltest.Case{
		{
			Name:     "by name",
			Args:     `{"text":"hello","targetLanguage":"GERMAN"}`,
			Want:     `{"originalText":"hello","translatedText":"HELLO","sourceLanguage":"en","targetLanguage":"de","provider":"deepl"}`,
			WantText: "HELLO",
		},
		{
			Name: "white space",
			Args: `{"text":"\n hello\t","targetLanguage":"pt_br","sourceLanguage":"en"}`,
			Want: `{"originalText":"\n hello\t","translatedText":"\n HELLO\t","sourceLanguage":"en","targetLanguage":"pt-BR","provider":"deepl"}`,
		},
	})
	*all = nil
	long := strings.Repeat(strings.Repeat("a word & <another>. ", 500)+"\n\n", 20) // 200 kB
	tooltest.Run(t, Set, "translate_text", call,
		[]tooltest.Case{{Name: "long", Args: `{"text":` + string(quote(long)) + `,"targetLanguage":"de"}`,
			Check: func(t *testing.T, res tool.Result) {
				t.Helper()
				if res.Text != strings.ToUpper(long) {
					t.Errorf("the translation has %d bytes of %d", len(res.Text), len(long))
				}
				if len(*all) < 3 {
					t.Errorf("%d requests", len(*all))
				}
				for _, r := range *all {
					if r.ContentLength > 128<<10 || len(r.texts()) > 50 {
						t.Errorf("a request has %d bytes and %d texts", r.ContentLength, len(r.texts()))
					}
				}
			}}})
}

// TestFailures: each failure of a provider has its kind, after one request, and holds no key.
func TestFailures(t *testing.T) {
	for _, service := range []string{"deepl", "libretranslate", "openai"} {
		for _, tt := range []struct {
			status int
			body   string
			kind   tool.Kind
			says   string
		}{
			{403, `{"message":"Wrong key secret-key"}`, tool.NotConfigured, "helve config set " + service},
			{429, `{}`, tool.RateLimited, "in 7 seconds"},
			{503, ``, tool.NetworkError, "status 503"},
			{404, `{"message":"no such language, secret-key"}`, tool.ExecutionError, "no such language, …"},
			{200, `<html>`, tool.ExecutionError, "makes no sense"},
			{200, `{}`, tool.ExecutionError, "makes no sense"},
			{200, `{"translations":[]}`, tool.ExecutionError, "makes no sense"},
			{200, strings.Repeat(" ", 17<<20), tool.ExecutionError, "longer than"},
		} {
			call, all := provider(t, service, func(int, request) (int, string) { return tt.status, tt.body })
			for name, args := range map[string]string{
				"translate_text": `{"text":"x","targetLanguage":"de"}`, "batch_translate": `{"texts":["x","y"],"targetLanguage":"de"}`,
			} {
				*all = nil
				tooltest.Run(t, Set, name, call, []tooltest.Case{{Name: service, Args: args, Fails: tt.kind, Message: tt.says}})
				if len(*all) != 1 {
					t.Errorf("%s of %s, status %d: %d requests", name, service, tt.status, len(*all))
				}
			}
		}
	}
	call, _ := provider(t, "deepl", func(int, request) (int, string) { return quotaExceeded, `{"message":"Quota Exceeded"}` })
	tooltest.Run(t, Set, "translate_text", call, []tooltest.Case{
		{Name: "quota", Args: `{"text":"x","targetLanguage":"de"}`, Fails: tool.RateLimited, Message: "used up"},
	})
}
