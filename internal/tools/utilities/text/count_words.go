package text

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/helve-dev/helve/internal/lib/calc"
	"github.com/helve-dev/helve/internal/lib/random"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

type countWordsArgs struct {
	Text     string `json:"text" doc:"Text to count the words of."`
	TopWords *int   `json:"topWords,omitempty" alias:"top" doc:"How many of the most frequent words to list, at most 100." default:"10"`
}

type countWordsResult struct {
	Words         int             `json:"words"`
	UniqueWords   int             `json:"uniqueWords" doc:"Different words; case does not count."`
	AverageLength float64         `json:"averageLength" doc:"Mean length of a word in characters, without the punctuation around it."`
	LongestWord   string          `json:"longestWord"`
	MostFrequent  []wordFrequency `json:"mostFrequent" doc:"The most frequent words, in lower case; equally frequent ones by the alphabet."`
}

type wordFrequency struct {
	Word  string `json:"word"`
	Count int    `json:"count"`
}

const (
	defaultTopWords = 10
	maxTopWords     = 100
	// maxWordLength limits the shown part of one word, in characters.
	maxWordLength = 200
)

var _ = tool.Add(Set, tool.Spec[countWordsArgs, countWordsResult]{
	Name: "count_words",
	Description: "Count the words of a text and how often each occurs, to judge its length or find what it is about; " +
		"returns the number of words, of different ones and the most frequent.",
	Tags:       []string{"count words", "word count", "words", "frequency", "text", "length", "count"},
	Group:      "mathStats",
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Errors:     []tool.Kind{},
	Example:    `{"text": "The quick brown fox jumps over the lazy dog."}`,
	Timeout:    10 * time.Second,
	Run:        countWords,
})

func countWords(ctx context.Context, _ *tool.Call, args countWordsArgs) (countWordsResult, error) {
	counts := map[string]int{}
	res := countWordsResult{MostFrequent: []wordFrequency{}}
	characters, longest, spelled := 0, 0, 0
	for written := range wordsIn(args.Text) {
		if err := ctx.Err(); res.Words%4096 == 0 && err != nil {
			return countWordsResult{}, err
		}
		res.Words++
		word := strings.TrimFunc(written, isNoLetter)
		if word == "" {
			continue
		}
		length := utf8.RuneCountInString(word)
		characters, spelled = characters+length, spelled+1
		if length > longest {
			longest, res.LongestWord = length, word
		}
		counts[strings.ToLower(word)]++
	}
	if spelled == 0 {
		return res, nil
	}
	res.UniqueWords = len(counts)
	res.AverageLength = calc.RoundFloat(float64(characters)/float64(spelled), 2, 0)
	res.LongestWord = textcut.First(strings.ToValidUTF8(res.LongestWord, "\uFFFD"), maxWordLength)
	ranked := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	for _, word := range ranked[:min(len(ranked), random.Count(args.TopWords, defaultTopWords, maxTopWords))] {
		res.MostFrequent = append(res.MostFrequent, wordFrequency{
			textcut.First(strings.ToValidUTF8(word, "\uFFFD"), maxWordLength), counts[word],
		})
	}
	return res, nil
}

// wordsIn yields the text between spaces. Each character of Chinese and of Japanese
// kana is a word of its own, as in word processors, because nothing separates words
// there.
func wordsIn(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for field := range strings.FieldsFuncSeq(text, unicode.IsSpace) {
			mixed := strings.ContainsFunc(field, isIdeograph)
			for rest := field; rest != ""; {
				end := strings.IndexFunc(rest, isIdeograph)
				switch {
				case end < 0:
					end = len(rest)
				case end == 0:
					_, end = utf8.DecodeRuneInString(rest)
				}
				word := rest[:end]
				rest = rest[end:]
				// Beside ideographs, punctuation is not a word.
				if mixed && strings.TrimFunc(word, isNoLetter) == "" {
					continue
				}
				if !yield(word) {
					return
				}
			}
		}
	}
}

func isIdeograph(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

func isNoLetter(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '_'
}
