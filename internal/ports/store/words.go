package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/helve-dev/helve/tool"
)

const (
	// maxWords bounds the words of a document that search finds.
	maxWords = 10_000
	// maxWord is the greatest length of a word, in bytes; a longer one is cut.
	maxWord = 64
	// maxTerms bounds the words of a query.
	maxTerms = 16
)

// words returns the different words of a text as search compares them: in lower case,
// without accents. Characters of scripts that put no spaces between words are words of
// their own.
func words(text string, most int) []string {
	var list []string
	have := map[string]bool{}
	var word strings.Builder
	end := func() {
		w := word.String()
		word.Reset()
		for len(w) > maxWord {
			w = cut(w)
		}
		if w != "" && !have[w] && len(list) < most {
			have[w] = true
			list = append(list, w)
		}
	}
	for _, r := range norm.NFKD.String(text) {
		switch {
		case unicode.Is(unicode.Mn, r): // an accent
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			end()
			word.WriteRune(r)
			end()
		case unicode.IsLetter(r), unicode.IsNumber(r), unicode.Is(unicode.Mc, r), unicode.Is(unicode.So, r):
			word.WriteRune(unicode.ToLower(r))
		default:
			end()
		}
	}
	end()
	return list
}

// cut returns the first maxWord bytes of a word, whole characters only.
func cut(w string) string {
	at := maxWord
	for at > 0 && w[at]&0xC0 == 0x80 {
		at--
	}
	return w[:at]
}

// wordsOf returns the words of the search fields of a document. It is never nil.
func wordsOf(shape *tool.Shape, doc json.RawMessage) []string {
	var members map[string]any
	if err := json.Unmarshal(doc, &members); err != nil {
		return []string{}
	}
	var texts []string
	for _, field := range shape.Search {
		switch v := members[field].(type) {
		case string:
			texts = append(texts, v)
		case []any:
			for _, item := range v {
				if text, ok := item.(string); ok {
					texts = append(texts, text)
				}
			}
		}
	}
	list := words(strings.Join(texts, "\n"), maxWords)
	if list == nil {
		list = []string{}
	}
	return list
}

// ownerKey identifies a person's collection in the search index. Every word begins with
// it there, so that a search reads the words of that collection only, however many others
// have the same words. The key alone marks a document that has no words.
type ownerKey string

// ownerKeySize is the length of a key.
const ownerKeySize = 20

func ownerKeyOf(p person, collection string) ownerKey {
	sum := sha256.Sum256([]byte(p.tenant + "\x00" + p.name + "\x00" + collection))
	return ownerKey(hex.EncodeToString(sum[:ownerKeySize/2]))
}

// index returns words as the search index holds them.
func (k ownerKey) index(words []string) []string {
	list := make([]string, 1, 1+len(words))
	list[0] = string(k)
	for _, word := range words {
		list = append(list, string(k)+word)
	}
	return list
}

// plainWords returns words of the search index without their key. It is never nil.
func plainWords(list []string) []string {
	words := make([]string, 0, len(list))
	for _, word := range list {
		if len(word) > ownerKeySize {
			words = append(words, word[ownerKeySize:])
		}
	}
	return words
}
