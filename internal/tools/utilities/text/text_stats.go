package text

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/grapheme"
	"github.com/helve-dev/helve/internal/lib/textcount"
	"github.com/helve-dev/helve/tool"
)

type textStatsArgs struct {
	Text     string `json:"text" doc:"Text to measure."`
	TopWords int    `json:"topWords,omitzero" alias:"top" doc:"How many of the most frequent words to list." min:"0" max:"100" default:"10"`
}

type textStats struct {
	textcount.Counts
	UniqueWords           int         `json:"uniqueWords" doc:"Different words, whatever their case."`
	AverageWordLength     float64     `json:"averageWordLength" doc:"In characters, without punctuation around the word."`
	AverageSentenceLength float64     `json:"averageSentenceLength" doc:"In words."`
	LongestWord           string      `json:"longestWord"`
	TopWords              []wordCount `json:"topWords" doc:"The most frequent first, equal ones by the alphabet."`
}

type wordCount struct {
	Word  string `json:"word"`
	Count int    `json:"count"`
}

var _ = tool.Add(Set, tool.Spec[textStatsArgs, textStats]{
	Name: "text_stats",
	Description: "Measure a text in more depth than count_text: all its counts, the average length of words and sentences, the longest word " +
		"and the most frequent words.",
	Tags:       []string{"text statistics", "word frequency", "count", "analyze", "reading time"},
	Group:      "textUtils",
	Errors:     []tool.Kind{},
	Example:    `{"text":"The cat sat. The dog ran.","topWords":2}`,
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Timeout:    5 * time.Second,
	Run: func(_ context.Context, _ *tool.Call, args textStatsArgs) (textStats, error) {
		return statsOf(args.Text, args.TopWords), nil
	},
})

func statsOf(text string, top int) textStats {
	stats := textStats{Counts: textcount.Of(text), TopWords: []wordCount{}}
	counts := map[string]int{}
	words, letters, longest := 0, 0, 0
	for word := range textcount.Words(text, false) {
		word = strings.TrimFunc(word, func(c rune) bool { return !textcount.IsWordly(c) })
		if word == "" {
			continue
		}
		length := textcount.Characters(word)
		words++
		letters += length
		counts[strings.ToLower(word)]++
		if length > longest {
			longest, stats.LongestWord = length, word
		}
	}
	stats.LongestWord = grapheme.Echo(stats.LongestWord)
	stats.UniqueWords = len(counts)
	stats.AverageWordLength = hundredths(letters, words)
	stats.AverageSentenceLength = hundredths(stats.Words, stats.Sentences)
	ranked := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	for _, word := range ranked[:min(top, len(ranked))] {
		stats.TopWords = append(stats.TopWords, wordCount{Word: grapheme.Echo(word), Count: counts[word]})
	}
	return stats
}

// hundredths returns sum divided by count with two decimals, 0 if count is 0.
func hundredths(sum, count int) float64 {
	if count == 0 {
		return 0
	}
	return math.Round(float64(sum)*100/float64(count)) / 100
}
