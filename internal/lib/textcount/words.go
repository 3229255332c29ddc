package textcount

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Reading speeds that word processors and publishers assume.
const (
	wordsPerMinute  = 200
	glyphsPerMinute = 500 // Chinese and Japanese are counted by character
)

// Counts is the result of count_text.
type Counts struct {
	Characters         int `json:"characters" doc:"Unicode code points."`
	CharactersNoSpaces int `json:"charactersNoSpaces"`
	Words              int `json:"words" doc:"Runs between spaces; each Chinese or Japanese character is one."`
	Sentences          int `json:"sentences"`
	Paragraphs         int `json:"paragraphs" doc:"Blocks of text between blank lines."`
	Lines              int `json:"lines" doc:"As an editor numbers them: one more than there are line breaks."`
	ReadingTimeMinutes int `json:"readingTimeMinutes" doc:"At 200 words a minute, rounded up."`
}

// Of counts the characters, words, sentences, paragraphs and lines of text.
func Of(text string) Counts {
	counts := Counts{Lines: 1}
	for _, c := range text {
		counts.Characters++
		if !IsBlank(c) {
			counts.CharactersNoSpaces++
		}
	}
	glyphs := 0
	for word := range Words(text, false) {
		counts.Words++
		if first, size := utf8.DecodeRuneInString(word); size == len(word) && isGlyph(first) {
			glyphs++
		}
	}
	counts.Paragraphs, counts.Sentences = countBlocks(text)
	counts.Lines += strings.Count(LineEnds.Replace(text), "\n")
	minutes := float64(counts.Words-glyphs)/wordsPerMinute + float64(glyphs)/glyphsPerMinute
	counts.ReadingTimeMinutes = int(math.Ceil(minutes))
	return counts
}

// Words yields the words of text: the text between spaces, as word processors count, so
// that contractions and hyphenated words are one word. Scripts without spaces are split
// into characters; the marks between these are words only if marks is set.
func Words(text string, marks bool) func(func(string) bool) {
	return func(yield func(string) bool) {
		for field := range strings.FieldsFuncSeq(text, IsBlank) {
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
// between them that contain a letter or digit, such as Latin names, or all runs.
func eachGlyph(field string, marks bool, yield func(string) bool) bool {
	start := 0
	run := func(end int) bool {
		part := field[start:end]
		skip := part == "" || !marks && !strings.ContainsFunc(part, IsWordly)
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

// isGlyph reports whether a character belongs to a script without spaces between words.
func isGlyph(c rune) bool { return unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana) }

// IsWordly reports whether a character belongs to a word.
func IsWordly(c rune) bool { return unicode.In(c, unicode.L, unicode.M, unicode.N) }

// countBlocks counts the paragraphs of text, and the sentences in them.
func countBlocks(text string) (paragraphs, sentences int) {
	var block strings.Builder
	for line := range strings.SplitSeq(LineEnds.Replace(text)+"\n\n", "\n") {
		if strings.TrimFunc(line, IsBlank) != "" {
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

// LineEnds replaces the line ends of Windows and old Macs by \n.
var LineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// countSentences counts the sentences of one paragraph. A sentence ends at a mark such
// as . ! ? before a space or the end; decimals and addresses end none.
func countSentences(block string) int {
	count := 0
	open := false // there is text since the last end
	word := ""    // the text before the mark
	rest := block
	for rest != "" {
		c, size := utf8.DecodeRuneInString(rest)
		after := rest[size:]
		switch {
		case IsFullStop(c):
			after = strings.TrimLeftFunc(after, IsStop)
			if open {
				count, open = count+1, false
			}
		case IsStop(c):
			after = strings.TrimLeftFunc(after, IsStop)
			single := len(rest)-len(after) == size
			if open && endsHere(after) && (c != '.' || !single || !abbreviations[strings.ToLower(word)]) {
				count, open = count+1, false
			}
			if c == '.' && single {
				word += "."
			}
		case IsBlank(c), strings.ContainsRune(openers, c):
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

// abbreviations lists abbreviations that a name or an example follows, so that their
// full stop ends no sentence.
var abbreviations = map[string]bool{
	"mr": true, "mrs": true, "ms": true, "dr": true, "prof": true, "st": true, "jr": true, "sr": true,
	"vs": true, "e.g": true, "i.e": true, "cf": true, "approx": true, "fig": true,
}

// IsStop reports whether a mark can end a sentence.
func IsStop(c rune) bool { return strings.ContainsRune(".!?…", c) || IsFullStop(c) }

// IsFullStop reports whether a mark always ends a sentence.
func IsFullStop(c rune) bool { return strings.ContainsRune("。！？｡।؟۔", c) }

// endsHere reports whether only closing quotes are between a mark and a space or the
// end.
func endsHere(after string) bool {
	after = strings.TrimLeft(after, `"'”’»)]}*_`)
	c, size := utf8.DecodeRuneInString(after)
	return size == 0 || IsBlank(c)
}

// Characters counts characters as all tools do: Unicode code points.
func Characters(text string) int { return utf8.RuneCountInString(text) }

// IsBlank reports whether a character is white space; a byte order mark is, as in
// JavaScript.
func IsBlank(c rune) bool { return unicode.IsSpace(c) || c == '\ufeff' }
