package catalog

import (
	"slices"
	"strings"
)

// maxTitle is the number of words from which a first sentence is no title.
const maxTitle = 12

// articles are words that make no difference between titles.
var articles = setOf(`a an and at by for from in into is of on or the this to with your my`)

// titleOf returns the stems of the first line or sentence of a description. Known holds
// stems by word.
func titleOf(description string, known map[string]string) []string {
	line, _, _ := strings.Cut(description, "\n")
	if i := strings.IndexAny(line, ".;:"); i >= 0 {
		line = line[:i]
	}
	var title []string
	for _, word := range words(line) {
		s, ok := known[word]
		if !ok {
			s = stem(word)
		}
		if !articles[word] && !slices.Contains(title, s) {
			title = append(title, s)
		}
	}
	if len(title) > maxTitle {
		return nil
	}
	return title
}

// titled returns the factor of a tool whose title is similar to a request: of two tools
// with the same words, the request means the tool that has no others.
func titled(title, request []string) float64 {
	if len(title) == 0 || len(request) == 0 {
		return 1
	}
	common := 0
	for _, s := range request {
		if slices.Contains(title, s) {
			common++
		}
	}
	alike := 2 * float64(common) / float64(len(title)+len(request)) // 1 if they are the same
	return 1 + 2*alike*alike*alike
}
