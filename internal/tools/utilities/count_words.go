package utilities

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/helve-dev/helve/tool"
)

type countWordsArgs struct {
	Text string `json:"text" doc:"Text to count the words of."`
	Top  *int   `json:"top,omitempty" doc:"How many of the most frequent words to list, at most 100." default:"10"`
}

type countWordsResult struct {
	Words         int         `json:"words"`
	UniqueWords   int         `json:"uniqueWords" doc:"Different words; case does not count."`
	AverageLength float64     `json:"averageLength" doc:"Mean length of a word in characters."`
	LongestWord   string      `json:"longestWord"`
	MostFrequent  []wordCount `json:"mostFrequent" doc:"The most frequent words, in lower case; equally frequent ones by the alphabet."`
}

type wordCount struct {
	Word  string `json:"word"`
	Count int    `json:"count"`
}

const (
	defaultTopWords = 10
	maxTopWords     = 100
	// maxWordLength bounds what is shown of one word, in characters.
	maxWordLength = 200
)

var _ = tool.Add(Set, tool.Spec[countWordsArgs, countWordsResult]{
	Name:        "count_words",
	Description: "Count the words of a text and how often each occurs, to judge its length or find what it is about; returns the number of words, of different ones and the most frequent.",
	Tags:        []string{"count words", "word count", "words", "frequency", "text", "length", "count"},
	Group:       "mathStats",
	Risk:        tool.Low,
	Mutates:     false,
	Idempotent:  true,
	Errors:      []tool.Kind{},
	Example:     `{"text": "The quick brown fox jumps over the lazy dog."}`,
	Timeout:     10 * time.Second,
	Run:         countWords,
})

func countWords(ctx context.Context, _ *tool.Call, args countWordsArgs) (countWordsResult, error) {
	counts := map[string]int{}
	res := countWordsResult{MostFrequent: []wordCount{}}
	characters, longest := 0, 0
	for rest := args.Text; ; {
		word, after := nextWord(rest)
		if word == "" {
			break
		}
		if err := ctx.Err(); res.Words%4096 == 0 && err != nil {
			return countWordsResult{}, err
		}
		rest = after
		res.Words++
		length := utf8.RuneCountInString(word)
		characters += length
		if length > longest {
			longest, res.LongestWord = length, word
		}
		counts[strings.ToLower(word)]++
	}
	if res.Words == 0 {
		return res, nil
	}
	res.UniqueWords = len(counts)
	res.AverageLength = roundedFloat(float64(characters)/float64(res.Words), 2, 0)
	res.LongestWord = firstCharacters(res.LongestWord, maxWordLength)
	ranked := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	for _, word := range ranked[:min(len(ranked), clamp(args.Top, defaultTopWords, maxTopWords))] {
		res.MostFrequent = append(res.MostFrequent, wordCount{firstCharacters(word, maxWordLength), counts[word]})
	}
	return res, nil
}

func firstCharacters(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n])
	}
	return text
}

// nextWord cuts the first word off text: letters, digits and marks, held
// together by an apostrophe or hyphen between letters (don't, well-known) or a
// point or comma between digits (3.14). Each character of Chinese and of
// Japanese kana is a word, as in word processors: nothing separates words there.
func nextWord(text string) (word, rest string) {
	from := strings.IndexFunc(text, isWordRune)
	if from < 0 {
		return "", ""
	}
	text = text[from:]
	var last rune
	for at, r := range text {
		_, size := utf8.DecodeRuneInString(text[at:])
		next, _ := utf8.DecodeRuneInString(text[at+size:])
		switch {
		case isIdeograph(r) && at == 0:
			return text[:size], text[size:]
		case isIdeograph(r), !isWordRune(r) && !holds(r, last, next):
			return text[:at], text[at:]
		}
		last = r
	}
	return text, ""
}

func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_'
}

func isIdeograph(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// holds reports whether r holds what is on both sides of it together.
func holds(r, last, next rune) bool {
	switch r {
	case '\'', '’', '-':
		return isWordRune(last) && isWordRune(next)
	case '.', ',':
		return unicode.IsDigit(last) && unicode.IsDigit(next)
	default:
		return false
	}
}
