package utilities

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Reading speeds that word processors and publishers assume.
const (
	wordsPerMinute  = 200
	glyphsPerMinute = 500 // Chinese and Japanese are read by the character
)

// textCounts is what count_text answers.
type textCounts struct {
	Characters         int `json:"characters" doc:"Unicode code points."`
	CharactersNoSpaces int `json:"charactersNoSpaces"`
	Words              int `json:"words" doc:"Runs between spaces; each Chinese or Japanese character is one."`
	Sentences          int `json:"sentences"`
	Paragraphs         int `json:"paragraphs" doc:"Blocks of text between blank lines."`
	Lines              int `json:"lines" doc:"As an editor numbers them: one more than there are line breaks."`
	ReadingTimeMinutes int `json:"readingTimeMinutes" doc:"At 200 words a minute, rounded up."`
}

func countsOf(text string) textCounts {
	counts := textCounts{Lines: 1}
	for _, c := range text {
		counts.Characters++
		if !isBlank(c) {
			counts.CharactersNoSpaces++
		}
	}
	glyphs := 0
	for word := range eachWord(text, false) {
		counts.Words++
		if first, size := utf8.DecodeRuneInString(word); size == len(word) && isGlyph(first) {
			glyphs++
		}
	}
	counts.Paragraphs, counts.Sentences = countBlocks(text)
	counts.Lines += strings.Count(lineEnds.Replace(text), "\n")
	minutes := float64(counts.Words-glyphs)/wordsPerMinute + float64(glyphs)/glyphsPerMinute
	counts.ReadingTimeMinutes = int(math.Ceil(minutes))
	return counts
}

// eachWord yields the words of text: what stands between spaces, as word processors
// count, so that contractions and hyphenated words are one. Scripts that are
// written without spaces are split by the character; the marks between those are
// words only where marks says so.
func eachWord(text string, marks bool) func(func(string) bool) {
	return func(yield func(string) bool) {
		for field := range strings.FieldsFuncSeq(text, isBlank) {
			if !strings.ContainsFunc(field, isGlyph) {
				if !yield(field) {
					return
				}
				continue
			}
			if !eachGlyph(field, marks, yield) {
				return
			}
		}
	}
}

// eachGlyph yields the ideographs and syllables of field one by one, and the runs
// between them where they hold a letter or digit, such as Latin names, or all of them.
func eachGlyph(field string, marks bool, yield func(string) bool) bool {
	start := 0
	run := func(end int) bool {
		part := field[start:end]
		skip := part == "" || !marks && !strings.ContainsFunc(part, isWordly)
		return skip || yield(part)
	}
	for i, c := range field {
		if !isGlyph(c) {
			continue
		}
		size := utf8.RuneLen(c)
		if !run(i) || !yield(field[i:i+size]) {
			return false
		}
		start = i + size
	}
	return run(len(field))
}

// isGlyph reports a character of a script that sets no spaces between words.
func isGlyph(c rune) bool { return unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana) }

// isWordly reports a character that belongs to a word.
func isWordly(c rune) bool { return unicode.In(c, unicode.L, unicode.M, unicode.N) }

// countBlocks counts the paragraphs of text, and the sentences in them.
func countBlocks(text string) (paragraphs, sentences int) {
	var block strings.Builder
	for line := range strings.SplitSeq(lineEnds.Replace(text)+"\n\n", "\n") {
		if strings.TrimFunc(line, isBlank) != "" {
			block.WriteString(line)
			block.WriteByte('\n')
			continue
		}
		if block.Len() > 0 {
			paragraphs++
			sentences += countSentences(block.String())
			block.Reset()
		}
	}
	return paragraphs, sentences
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// countSentences counts the sentences of one paragraph. A sentence ends at a mark
// such as . ! ? before a space or the end; decimals and addresses have none.
func countSentences(block string) int {
	count := 0
	open := false // something has been said since the last end
	word := ""    // what stands before the mark
	rest := block
	for rest != "" {
		c, size := utf8.DecodeRuneInString(rest)
		after := rest[size:]
		switch {
		case isFullStop(c):
			after = strings.TrimLeftFunc(after, isStop)
			if open {
				count, open = count+1, false
			}
		case isStop(c):
			after = strings.TrimLeftFunc(after, isStop)
			single := len(rest)-len(after) == size
			if open && endsHere(after) && (c != '.' || !single || !abbreviations[strings.ToLower(word)]) {
				count, open = count+1, false
			}
			if c == '.' && single {
				word += "."
			}
		case isBlank(c), strings.ContainsRune(openers, c):
			word = ""
		default:
			open = open || !unicode.IsPunct(c)
			word += string(c)
			if len(word) > maxAbbreviation {
				word = strings.Repeat("x", maxAbbreviation)
			}
		}
		rest = after
	}
	if open {
		count++
	}
	return count
}

const (
	openers         = `"'“‘«([{`
	maxAbbreviation = 8
)

// abbreviations are those that a name or an example follows, so that the stop after
// them ends no sentence.
var abbreviations = map[string]bool{
	"mr": true, "mrs": true, "ms": true, "dr": true, "prof": true, "st": true, "jr": true, "sr": true,
	"vs": true, "e.g": true, "i.e": true, "cf": true, "approx": true, "fig": true,
}

// isStop reports a mark that can end a sentence, isFullStop one that always does.
func isStop(c rune) bool     { return strings.ContainsRune(".!?…", c) || isFullStop(c) }
func isFullStop(c rune) bool { return strings.ContainsRune("。！？｡।؟۔", c) }

// endsHere reports that only closing quotes stand between a mark and a space or
// the end.
func endsHere(after string) bool {
	after = strings.TrimLeft(after, `"'”’»)]}*_`)
	c, size := utf8.DecodeRuneInString(after)
	return size == 0 || isBlank(c)
}
