package chat

import (
	"slices"
	"strings"
	"testing"
)

func TestNewRefuses(t *testing.T) {
	for _, tt := range []struct {
		o    Options
		want string
	}{
		{Options{Model: "m"}, `there is no provider ""; use openai, openai_responses, anthropic or gemini`},
		{Options{Provider: "mcp", Model: "m"}, `there is no provider "mcp"; use openai, openai_responses, anthropic or gemini`},
		{Options{Provider: "gemini"}, "there is no model; give its name as the provider has it"},
		{Options{Provider: "gemini", Model: "a/../../b"}, `the model "a/../../b" is no name of Gemini's`},
		{Options{Provider: "openai", Model: "m", Key: "two words"}, "the key must be one word of visible ASCII characters"},
		{Options{Provider: "openai", Model: "m", Key: "a\r\nX: b"}, "the key must be one word of visible ASCII characters"},
		{
			Options{Provider: "openai", MaxTokens: -1, Idle: -1},
			"there is no model; give its name as the provider has it\nMaxTokens is -1; it must not be negative\nIdle is -1ns; " +
				"it must not be negative",
		},
		{Options{Provider: "openai", Model: "m", BaseURL: "localhost:8080"}, "the base URL cannot be read; use https://HOST/PATH"},
		{Options{Provider: "openai", Model: "m", BaseURL: "http://u:secret@ho st"}, "the base URL cannot be read; use https://HOST/PATH"},
		{
			Options{Provider: "openai", Model: "m", BaseURL: "http://u:secret@host/?a=b"},
			"the base URL must hold no user; give the key by itself\nthe base URL must end with its path, without query or fragment",
		},
	} {
		m, err := New(tt.o)
		if err == nil || err.Error() != tt.want || m != nil {
			t.Errorf("New(%+v) = %v, %v\nwant %s", tt.o, m, err, tt.want)
		}
	}
}

func TestModel(t *testing.T) {
	for provider, user := range map[string]string{
		"openai":           `{"role":"user","content":"a \"b\" Α"}`,
		"openai_responses": `{"role":"user","content":"a \"b\" Α"}`,
		"anthropic":        `{"role":"user","content":"a \"b\" Α"}`,
		"gemini":           `{"role":"user","parts":[{"text":"a \"b\" Α"}]}`,
	} {
		m := newModel(t, Options{Provider: provider})
		if m.Format() != provider {
			t.Errorf("Format of %s = %s", provider, m.Format())
		}
		sameJSON(t, provider, m.User(`a "b" Α`), user)
		sameJSON(t, provider, m.User("\xff"), strings.Replace(user, `a \"b\" Α`, `\ufffd`, 1))
	}
}

func TestKeyVariable(t *testing.T) {
	for provider, want := range map[string][]string{
		"openai": {"OPENAI_API_KEY"}, "openai_responses": {"OPENAI_API_KEY"}, "anthropic": {"ANTHROPIC_API_KEY"},
		"gemini": {"GEMINI_API_KEY", "GOOGLE_API_KEY"}, "mcp": nil,
	} {
		if got := KeyVariable(provider); !slices.Equal(got, want) {
			t.Errorf("KeyVariable(%s) = %v, want %v", provider, got, want)
		}
	}
	KeyVariable("gemini")[0] = "changed"
	if got := KeyVariable("gemini")[0]; got != "GEMINI_API_KEY" {
		t.Errorf("who changes what KeyVariable returns changes it for others: %s", got)
	}
}
