package push

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/url"
	"unicode/utf8"

	"github.com/helve-dev/helve/internal/consent/sentence"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// notice is the message to the service worker of the console (console/src/push/worker.ts).
type notice struct {
	ConsentID string            `json:"consent_id"`
	Title     string            `json:"title"`
	Body      string            `json:"body"`
	Language  sentence.Language `json:"lang"`
	// Path is the page of the console that is opened.
	Path string `json:"path"`
}

// titles are the first lines of notifications, by language and kind of the consent; %s is the
// agent.
var titles = map[sentence.Language]map[string]string{
	sentence.English: {
		"": "%s asks for approval", protocol.ConsentQuestion: "%s asks a question", protocol.ConsentAccount: "%s needs an account",
	},
	sentence.German: {
		"": "%s bittet um Erlaubnis", protocol.ConsentQuestion: "%s hat eine Frage", protocol.ConsentAccount: "%s braucht ein Konto",
	},
}

// nameless stands for the agent of a call that has none.
const nameless = "Helve"

// maxBody bounds the sentence in a notification, in bytes. Phones show the first two or three
// lines, and with all else a notification stays below the 3 KiB that every push service takes.
const maxBody = 1 << 10

// noticeOf returns the notification of a request, as JSON.
func noticeOf(lang sentence.Language, c *protocol.Consent) ([]byte, error) {
	words := titles[lang]
	if words == nil {
		lang, words = sentence.English, titles[sentence.English]
	}
	agent := c.Agent
	if agent == "" {
		agent = nameless
	}
	return tool.Marshal(notice{
		ConsentID: c.ID, Title: fmt.Sprintf(words[c.Kind], agent), Body: cut(sentence.Of(lang, c)), Language: lang,
		Path: "/consents/" + url.PathEscape(c.ID),
	})
}

// cut shortens a text to [maxBody].
func cut(text string) string {
	const more = "…"
	if len(text) <= maxBody {
		return text
	}
	end := maxBody - len(more)
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + more
}

// topicOf returns the topic of a consent at push services, which keep only the newest
// notification of a topic for a device that is away: 32 characters of base64url (RFC 8030,
// 5.4).
func topicOf(tenant, consentID string) string {
	sum := sha256.Sum256([]byte(tenant + "\x00" + consentID))
	return base64.RawURLEncoding.EncodeToString(sum[:24])
}
