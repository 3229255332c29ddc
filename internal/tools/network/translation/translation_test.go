package translation

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/ports/netguard"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestGolden(t *testing.T) { tooltest.Golden(t, Set) }

// accounts is a config center.
type accounts map[string]map[string]string

func (a accounts) Entries(_ context.Context, service string) ([]tool.ServiceEntry, error) {
	if data, ok := a[service]; ok {
		return []tool.ServiceEntry{{Active: true, Shared: true, Data: data}}, nil
	}
	return nil, nil
}

// request is a request that a provider received.
type request struct {
	*http.Request

	body map[string]any
}

// provider starts a server, and returns a call whose only account is of this service with
// that address, and the requests so far.
func provider(t *testing.T, service string, answers func(n int, r request) (status int, body string)) (tool.Call, *[]request) {
	t.Helper()
	all := &[]request{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := request{Request: r}
		if err := json.NewDecoder(r.Body).Decode(&got.body); err != nil {
			t.Error(err)
		}
		*all = append(*all, got)
		status, body := answers(len(*all), got)
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	guard, err := netguard.New(netguard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(guard.Close)
	base := server.URL
	if service == "openai" {
		base += "/v1"
	}
	return tool.Call{HTTP: guard, Secrets: accounts{service: {"base_url": base, "api_key": "secret-key", "text_model": "house"}}}, all
}

// texts returns the texts of a request, wherever the provider has them.
func (r request) texts() []string {
	var all []string
	switch list := r.body["text"].(type) {
	case []any:
		for _, text := range list {
			all = append(all, text.(string))
		}
	}
	return all
}

// upper is DeepL with a simple language: it answers as
// https://developers.deepl.com/api-reference/translate shows.
func upper(_ int, r request) (int, string) {
	var items []string
	for _, text := range r.texts() {
		quoted, err := json.Marshal(strings.ToUpper(text))
		if err != nil {
			return 500, ""
		}
		items = append(items, `{"detected_source_language":"EN","text":`+string(quoted)+`}`)
	}
	return 200, `{"translations":[` + strings.Join(items, ",") + `]}`
}

// TestNoAccount: a call without an account names the services of which one is needed, once
// its arguments are right.
func TestNoAccount(t *testing.T) {
	for name, args := range map[string]string{
		"translate_text": `{"text":%q,"targetLanguage":"de"}`, "batch_translate": `{"texts":[%q],"targetLanguage":"de"}`,
	} {
		tooltest.Run(t, Set, name, tool.Call{HTTP: tooltest.Doer(nil), Secrets: accounts{}}, []tooltest.Case{
			{
				Name:    "no account",
				Args:    strings.ReplaceAll(args, "%q", `"x"`),
				Fails:   tool.NotConfigured,
				Message: "None of the services deepl, libretranslate, openai, anthropic, gemini is configured",
			},
			{Name: "blank", Args: strings.ReplaceAll(args, "%q", `" "`), Fails: tool.ValidationError, Message: "blank"},
			{
				Name:    "too long",
				Args:    strings.ReplaceAll(args, "%q", `"`+strings.Repeat("x", maxText+1)+`"`),
				Fails:   tool.ValidationError,
				Message: "at most 300000",
			},
			{Name: "no target", Args: `{"text":"x","texts":["x"]}`, Fails: tool.ValidationError, Message: "targetLanguage"},
			{
				Name:    "a target like none",
				Args:    strings.ReplaceAll(strings.ReplaceAll(args, "%q", `"x"`), `"de"`, `"Klingon"`),
				Fails:   tool.ValidationError,
				Message: `targetLanguage: there is no language "Klingon"; list_languages lists`,
			},
			{
				Name:    "an unknown target",
				Args:    strings.ReplaceAll(strings.ReplaceAll(args, "%q", `"x"`), `"de"`, `"Germann"`),
				Fails:   tool.ValidationError,
				Message: `targetLanguage: there is no language "Germann"; did you mean German?`,
			},
			{
				Name:    "an unknown source",
				Args:    strings.ReplaceAll(strings.ReplaceAll(args, "%q", `"x"`), `"de"`, `"de","sourceLanguage":"xx"`),
				Fails:   tool.ValidationError,
				Message: `sourceLanguage: there is no language "xx"`,
			},
			{Name: "no text", Args: `{"targetLanguage":"de"}`, Fails: tool.ValidationError, Message: "text"},
		})
	}
}

// TestOrder: the first provider with an account is used.
func TestOrder(t *testing.T) {
	key := map[string]string{"api_key": "k", "base_url": "https://t.example"}
	center := accounts{"deepl": key, "libretranslate": key, "openai": key, "anthropic": key, "gemini": key}
	for _, want := range []string{"deepl", "libretranslate", "openai", "anthropic", "gemini"} {
		tr, err := find(t.Context(), &tool.Call{Secrets: center}, "to test")
		if err != nil || tr.name() != want {
			t.Fatalf("%v, %v, want %s", tr, err, want)
		}
		delete(center, want)
	}
}
