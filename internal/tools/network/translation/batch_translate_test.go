package translation

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// many returns arguments with n texts.
func many(n int, text func(i int) string) string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = text(i)
	}
	encoded, _ := json.Marshal(map[string]any{"texts": texts, "targetLanguage": "de"})
	return string(encoded)
}

func result(t *testing.T, res tool.Result) batchResult {
	t.Helper()
	var got batchResult
	if err := json.Unmarshal(res.Value, &got); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestBatchTranslate(t *testing.T) {
	call, all := provider(t, "deepl", upper)
	item := func(text, translated string) string {
		return `{"originalText":"` + text + `","translatedText":"` + translated +
			`","sourceLanguage":"en","targetLanguage":"de","provider":"deepl"}`
	}
	tooltest.Run(t, Set, "batch_translate", call, []tooltest.Case{
		{
			Name: "in order",
			Args: `{"texts":["one","two","one"],"targetLanguage":"de"}`,
			Want: `{"results":[` + item("one", "ONE") + `,` + item("two", "TWO") + `,` + item("one", "ONE") + `],"count":3,"targetLanguage":"de"}`,
		},
		{
			Name: "a blank text",
			Args: `{"texts":["one"," ","two"],"targetLanguage":"de","sourceLanguage":"auto"}`,
			Want: `{"results":[` + item("one", "ONE") + `,{"index":1,"error":"the text is blank"},` + item("two", "TWO") +
				`],"count":2,"targetLanguage":"de"}`,
		},
		{Name: "only blank texts", Args: `{"texts":[" ",""],"targetLanguage":"de"}`, Fails: tool.ValidationError, Message: "only blank"},
		{Name: "none", Args: `{"texts":[],"targetLanguage":"de"}`, Fails: tool.ValidationError, Message: "texts"},
		{Name: "no list", Args: `{"texts":"one","targetLanguage":"de"}`, Fails: tool.ValidationError, Message: "texts"},
		{Name: "no texts", Args: `{"texts":[1],"targetLanguage":"de"}`, Fails: tool.ValidationError, Message: "texts"},
		{Name: "too many", Args: many(501, func(int) string { return "x" }), Fails: tool.ValidationError, Message: "texts"},
		{
			Name:    "too long",
			Args:    many(2, func(int) string { return strings.Repeat("x", maxText/2+1) }),
			Fails:   tool.ValidationError,
			Message: "at most 300000",
		},
	})
	*all = nil
	tooltest.Run(t, Set, "batch_translate", call,
		[]tooltest.Case{{Name: "120", Args: many(120, func(i int) string { return fmt.Sprintf("text %d", i) }),
			Check: func(t *testing.T, res tool.Result) {
				t.Helper()
				got := result(t, res)
				for i, r := range got.Results {
					if r.TranslatedText != fmt.Sprintf("TEXT %d", i) || r.Index != nil {
						t.Errorf("result %d is %+v", i, r)
					}
				}
				if got.Count != 120 || len(*all) != 3 || len((*all)[0].texts()) != 50 || len((*all)[2].texts()) != 20 {
					t.Errorf("count %d, %d requests", got.Count, len(*all))
				}
			}}})
	*all = nil
	tooltest.Run(t, Set, "batch_translate", call,
		[]tooltest.Case{{Name: "by size", Args: many(8, func(int) string { return strings.Repeat("<&> ", 5000) }),
			Check: func(t *testing.T, res tool.Result) {
				t.Helper()
				for _, r := range *all {
					if r.ContentLength > 128<<10 {
						t.Errorf("a request has %d bytes", r.ContentLength)
					}
				}
				if got := result(t, res); got.Count != 8 || got.Results[7].TranslatedText != strings.Repeat("<&> ", 5000) {
					t.Errorf("count %d", got.Count)
				}
			}}})
}

// TestBatchFails: a refused request leaves the others of a batch, and a failure that further
// requests would meet too ends it; texts keep their index.
func TestBatchFails(t *testing.T) {
	for status, requests := range map[int]int{400: 3, 429: 2, 500: 2, 403: 2} {
		call, all := provider(t, "deepl", func(n int, r request) (int, string) {
			if n == 2 {
				return status, `{"message":"no"}`
			}
			return upper(n, r)
		})
		tooltest.Run(t, Set, "batch_translate", call,
			[]tooltest.Case{{Name: fmt.Sprint(status), Args: many(120, func(i int) string { return fmt.Sprintf("text %d", i) }),
				Check: func(t *testing.T, res tool.Result) {
					t.Helper()
					got := result(t, res)
					done := 50
					if requests == 3 {
						done = 70
					}
					if got.Count != done || len(got.Results) != 120 || len(*all) != requests || len(res.Notes) != 1 {
						t.Errorf("status %d: count %d, %d results, %d requests, notes %q", status, got.Count, len(got.Results), len(*all), res.Notes)
					}
					for i, r := range got.Results {
						failed := i >= 50 && (requests == 2 || i < 100)
						if failed != (r.Index != nil && *r.Index == i && r.Error != "" && r.TranslatedText == "") ||
							!failed && r.TranslatedText != fmt.Sprintf("TEXT %d", i) {
							t.Errorf("status %d: result %d is %+v", status, i, r)
						}
					}
				}}})
	}
}
