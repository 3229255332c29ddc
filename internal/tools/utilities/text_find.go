package utilities

import (
	"context"
	"iter"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/helve-dev/helve/tool"
)

// maxFound is the most matches that one answer lists.
const maxFound = 10_000

// A textFinder yields all of one sort that there is in a text, in order. The
// expressions of finders are those of the standard library, whose time grows with
// the text and no faster.
type textFinder func(ctx context.Context, text string) iter.Seq[string]

var textFinders = map[string]textFinder{
	"urls":     findURLs,
	"emails":   findEmails,
	"phones":   findPhones,
	"dates":    findDates,
	"numbers":  findNumbers,
	"hashtags": tagged(hashtagForm, "#&/"),
	"mentions": tagged(mentionForm, "@/.-+%"),
}

// foundText is what a search has come to.
type foundText struct {
	matches []string // each once where asked for, at most maxFound
	total   int      // of what matches would be without that limit
	all     int      // occurrences
}

// search collects what find yields.
func search(ctx context.Context, find textFinder, text string, once bool) (foundText, error) {
	found := foundText{matches: []string{}}
	seen := map[string]bool{}
	for match := range find(ctx, text) {
		found.all++
		if once && seen[match] {
			continue
		}
		seen[match] = true
		if found.total++; found.total <= maxFound {
			found.matches = append(found.matches, match)
		}
	}
	return found, ctx.Err() // a finder stops with the call
}

// present says in res that not all was listed.
func (f *foundText) present(res *tool.Result) {
	if f.total > len(f.matches) {
		res.Truncated = true
		res.Metadata = map[string]any{"total": f.total}
	}
}

// scanText yields the matches of form that take accepts. What stands before a match
// and after it decides too, which expressions without looking around cannot say:
// take returns what of the match counts, or nothing.
func scanText(ctx context.Context, text string, form *regexp.Regexp, take func(before rune, match, after string) string) iter.Seq[string] {
	return func(yield func(string) bool) {
		tries := 0
		for at := 0; at < len(text); {
			if tries++; tries%1000 == 0 && ctx.Err() != nil {
				return
			}
			span := form.FindStringIndex(text[at:])
			if span == nil {
				return
			}
			start, end := at+span[0], at+span[1]
			before, _ := utf8.DecodeLastRuneInString(text[:start])
			match := take(before, text[start:end], text[end:])
			if match == "" { // what is no match at its start may be one a little later
				_, size := utf8.DecodeRuneInString(text[start:])
				at = start + size
				continue
			}
			if !yield(match) {
				return
			}
			at = start + len(match)
		}
	}
}

// scanStarts is scanText for an anchored form that is slow to search for: it is tried
// only where starts says that a match may begin, on the next bytes of the text.
func scanStarts(ctx context.Context, text string, starts func(before, c rune) bool, form *regexp.Regexp, take func(before rune, match, after string) string) iter.Seq[string] {
	const window = 128
	return func(yield func(string) bool) {
		before := rune(utf8.RuneError)
		for at, tries := 0, 0; at < len(text); {
			c, size := utf8.DecodeRuneInString(text[at:])
			if starts(before, c) {
				if tries++; tries%1000 == 0 && ctx.Err() != nil {
					return
				}
				found := form.FindString(text[at:min(at+window, len(text))])
				match := ""
				if found != "" {
					match = take(before, found, text[at+len(found):])
				}
				if match != "" {
					if !yield(match) {
						return
					}
					size = len(match)
					c, _ = utf8.DecodeLastRuneInString(match)
				}
			}
			before = c
			at += size
		}
	}
}

// startsNumber reports a place where a number can begin: not within one.
func startsNumber(before, c rune) bool {
	return unicode.IsDigit(c) && !unicode.IsDigit(before)
}

// inWord reports that a word goes on with c.
func inWord(c rune) bool { return isWordly(c) || c == '_' }

// firstRune is the character that text begins with, [utf8.RuneError] for none.
func firstRune(text string) rune {
	c, _ := utf8.DecodeRuneInString(text)
	return c
}

var urlStart = regexp.MustCompile(`(?i)(?:(?:https?|ftp)://|www\.)[\p{L}\p{N}\[]`)

// urlEnds are characters that no address holds as they are, closing marks of
// Chinese and Japanese texts among them.
const urlEnds = "<>\"'`{}|\\^，。；：！？、“”‘’（）「」『』《》【】"

// findURLs yields addresses with a scheme or www., without the punctuation of the
// sentence they stand in.
func findURLs(ctx context.Context, text string) iter.Seq[string] {
	return scanText(ctx, text, urlStart, func(before rune, match, after string) string {
		if firstRune(match) != 'h' && firstRune(match) != 'H' && inWord(before) { // awww.x is no address, 见http://x is
			return ""
		}
		return trimURL(match + after[:endOfURL(after)])
	})
}

// nextURL is the next address of a list, after its comma.
var nextURL = regexp.MustCompile(`^[,;]` + urlStart.String())

// endOfURL is where an address ends that begins before text.
func endOfURL(text string) int {
	for i, c := range text {
		if isBlank(c) || strings.ContainsRune(urlEnds, c) || (c == ',' || c == ';') && nextURL.MatchString(text[i:]) {
			return i
		}
	}
	return len(text)
}

// trimURL takes away marks at the end, and brackets that the address did not open.
func trimURL(match string) string {
	open := map[byte]int{}
	for i := range len(match) {
		open[match[i]]++
	}
	for match != "" {
		last := match[len(match)-1]
		opener := map[byte]byte{')': '(', ']': '['}[last]
		if opener != 0 && open[opener] >= open[last] || opener == 0 && !strings.ContainsRune(".,;:!?*", rune(last)) {
			break
		}
		open[last]--
		match = match[:len(match)-1]
	}
	return match
}

var emailForm = regexp.MustCompile(`[\p{L}\p{N}_](?:[\p{L}\p{N}._%+'-]*[\p{L}\p{N}_+-])?@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}{2,}`)

// findEmails yields addresses of mail.
func findEmails(ctx context.Context, text string) iter.Seq[string] {
	return scanText(ctx, text, emailForm, func(_ rune, match, _ string) string { return match })
}

var (
	hashtagForm = regexp.MustCompile(`#[\p{L}\p{M}\p{N}_]+`)
	mentionForm = regexp.MustCompile(`@[\p{L}\p{N}_]+(?:[.-][\p{L}\p{N}_]+)*`)
)

// tagged finds words with a sign before them; after a word or one of the other
// signs it is a part of something else, such as an address. A number is no tag.
func tagged(form *regexp.Regexp, not string) textFinder {
	return func(ctx context.Context, text string) iter.Seq[string] {
		return scanText(ctx, text, form, func(before rune, match, _ string) string {
			if inWord(before) || strings.ContainsRune(not, before) || !strings.ContainsFunc(match, unicode.IsLetter) {
				return ""
			}
			return match
		})
	}
}
