package api

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/consent/sentence"
)

func TestPreferredLanguage(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]sentence.Language{
		"": sentence.English, "de": sentence.German, "de-AT,en;q=0.5": sentence.German, "en-GB,de;q=0.9": sentence.English, "fr,de;q=0.3": sentence.German, "fr": sentence.English, "*": sentence.English,
		"de;q=x": sentence.English, "en;q=0,de;q=0.1": sentence.German, strings.Repeat("de,", 1000): sentence.English, "\x00": sentence.English,
	} {
		if got := preferred(accept); got != want {
			t.Errorf("preferred(%.40q) = %s, want %s", accept, got, want)
		}
	}
}
