package tongue

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/abadojack/whatlanggo"
)

// Guess is a language that a text may be in.
type Guess struct {
	Language

	// Confidence is 0 to 1.
	Confidence float64
}

// maxDetect bounds the text that is looked at, in bytes.
const maxDetect = 64 << 10

// Detect returns the languages that a text may be in, the most likely first, at most this
// many. It returns none for a text without letters.
//
// Trigrams decide (whatlanggo). They fail on short texts, so frequent words of a language
// decide before them where a text has some.
func Detect(text string, most int) []Guess {
	if len(text) > maxDetect {
		text = strings.ToValidUTF8(text[:maxDetect], "")
	}
	candidates := map[whatlanggo.Lang]bool{}
	for lang := range whatlanggo.Langs {
		if _, ok := known().byName[lang.Iso6391()]; ok && lang.Iso6391() != "" && !rare[lang] {
			candidates[lang] = true
		}
	}
	votes, words := vote(text)
	var guesses []Guess
	for len(guesses) < most && len(candidates) > 0 {
		lang, sure := next(text, candidates, votes)
		if lang < 0 {
			break
		}
		// One word may be frequent by chance, so the share stays below 1.
		share := float64(votes[lang.Iso6391()]) / float64(words+1)
		if n := len(guesses); n > 0 {
			sure = min(sure, 1-guesses[0].Confidence, guesses[n-1].Confidence)
		} else {
			sure = 1 - (1-sure)*(1-share)
		}
		guesses = append(guesses, Guess{known().byName[lang.Iso6391()], sure})
		delete(candidates, lang)
	}
	return guesses
}

// next returns the most likely of the candidates: of those with the most votes, that with the
// nearest trigrams. It returns -1 if there is none.
func next(text string, candidates map[whatlanggo.Lang]bool, votes map[string]int) (lang whatlanggo.Lang, sure float64) {
	best := leaders(candidates, votes)
	info := whatlanggo.DetectWithOptions(text, whatlanggo.Options{Whitelist: best})
	switch {
	case info.Lang >= 0 && !candidates[info.Lang]:
		// The library answers a script of one language without regard to the whitelist.
		return -1, 0
	case info.Lang < 0 && len(best) < len(candidates): // no trigram, but frequent words
		return slices.MinFunc(slices.Collect(maps.Keys(best)), func(a, b whatlanggo.Lang) int { return cmp.Compare(a.Iso6391(), b.Iso6391()) }), 0
	case len(best) == 1 && len(candidates) > 1:
		// The only one is always certain for the library; compare it with the others.
		if all := whatlanggo.DetectWithOptions(text, whatlanggo.Options{Whitelist: candidates}); all.Lang == info.Lang {
			return info.Lang, all.Confidence
		}
		return info.Lang, 0
	}
	return info.Lang, info.Confidence
}

// leaders returns the candidates with the most votes; all if none has any.
func leaders(candidates map[whatlanggo.Lang]bool, votes map[string]int) map[whatlanggo.Lang]bool {
	top := 0
	for c := range candidates {
		top = max(top, votes[c.Iso6391()])
	}
	best := maps.Clone(candidates)
	maps.DeleteFunc(best, func(c whatlanggo.Lang, _ bool) bool { return votes[c.Iso6391()] < top })
	return best
}
