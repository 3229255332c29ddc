package textfind

import (
	"context"
	"iter"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/helve-dev/helve/internal/lib/textcount"
	"github.com/helve-dev/helve/internal/lib/wellformed"
)

// MaxFound is the maximum number of matches in a result.
const MaxFound = 10_000

// Finder yields all matches of one kind in a text, in order. Finders use expressions of
// the standard library, whose time grows linearly with the text.
type Finder func(ctx context.Context, text string) iter.Seq[string]

// Finders maps the names in arguments to finders.
var Finders = map[string]Finder{
	"urls":     findURLs,
	"emails":   findEmails,
	"phones":   findPhones,
	"dates":    findDates,
	"numbers":  Numbers,
	"hashtags": tagged(hashtagForm, "#&/"),
	"mentions": tagged(mentionForm, "@/.-+%"),

	"money":       findMoney,
	"percentages": findPercentages,
}

// Found is the result of a search.
type Found struct {
	Matches []string // distinct if requested, at most MaxFound
	Total   int      // the size of matches without that limit
	All     int      // occurrences
}

// Search collects the matches of find.
func Search(ctx context.Context, find Finder, text string, once bool) (Found, error) {
	found := Found{Matches: []string{}}
	seen := map[string]bool{}
	for match := range find(ctx, text) {
		found.All++
		if once && seen[match] {
			continue
		}
		seen[match] = true
		if found.Total++; found.Total <= MaxFound {
			found.Matches = append(found.Matches, match)
		}
	}
	return found, ctx.Err() // a finder stops when the call ends
}

// scan yields the matches of form that take accepts. The text before and after a match
// matters too, which expressions without look-around cannot express: take returns the
// valid part of the match, or nothing.
func scan(ctx context.Context, text string, form *regexp.Regexp, take func(before rune, match, after string) string) iter.Seq[string] {
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
			if match == "" { // a match may begin a little later
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

// scanStarts is scan for an anchored form that is slow to search: it is tried only
// where starts reports a possible beginning, on the next bytes of the text.
func scanStarts(
	ctx context.Context, text string, starts func(before, c rune) bool, form *regexp.Regexp,
	take func(before rune, match, after string) string,
) iter.Seq[string] {
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

// startsNumber reports whether a number can begin here, not within another one.
func startsNumber(before, c rune) bool {
	return unicode.IsDigit(c) && !unicode.IsDigit(before)
}

// inWord reports whether a word continues with c.
func inWord(c rune) bool { return textcount.IsWordly(c) || c == '_' }

// firstRune returns the first character of text, [utf8.RuneError] if there is none.
func firstRune(text string) rune {
	c, _ := utf8.DecodeRuneInString(text)
	return c
}

var urlStart = regexp.MustCompile(`(?i)(?:(?:https?|ftp)://|www\.)[\p{L}\p{N}\[]`)

// urlEnds lists characters that no address contains unescaped, including closing marks
// of Chinese and Japanese texts.
const urlEnds = "<>\"'`{}|\\^，。；：！？、“”‘’（）「」『』《》【】"

// findURLs yields addresses with a scheme or www., without the punctuation of the
// surrounding sentence.
func findURLs(ctx context.Context, text string) iter.Seq[string] {
	return scan(ctx, text, urlStart, func(before rune, match, after string) string {
		if firstRune(match) != 'h' && firstRune(match) != 'H' && inWord(before) { // awww.x is no address, 见http://x is
			return ""
		}
		return trimURL(match + after[:endOfURL(after)])
	})
}

// nextURL returns the next address of a list, after its comma.
var nextURL = regexp.MustCompile(`^[,;]` + urlStart.String())

// endOfURL returns the end of an address that begins before text.
func endOfURL(text string) int {
	for i, c := range text {
		if textcount.IsBlank(c) || strings.ContainsRune(urlEnds, c) || (c == ',' || c == ';') && nextURL.MatchString(text[i:]) {
			return i
		}
	}
	return len(text)
}

// trimURL removes marks at the end, and closing brackets that the address did not open.
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

var emailForm = regexp.MustCompile(`[\p{L}\p{N}_](?:[\p{L}\p{N}._%+'-]*[\p{L}\p{N}_+-])?@(?:(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}{2,}|\[(?:(?i:IPv6:)[\da-fA-F:.]+|[\d.]+)\])`)

// findEmails yields mail addresses.
func findEmails(ctx context.Context, text string) iter.Seq[string] {
	return scan(ctx, text, emailForm, func(_ rune, match, _ string) string {
		if strings.HasSuffix(match, "]") && wellformed.EmailProblem(match) != "" {
			return "" // the brackets hold no address
		}
		return match
	})
}

var (
	hashtagForm = regexp.MustCompile(`#[\p{L}\p{M}\p{N}_]+`)
	mentionForm = regexp.MustCompile(`@[\p{L}\p{N}_]+(?:[.-][\p{L}\p{N}_]+)*`)
)

// tagged returns a finder for words that follow a sign; after a word or one of the
// other signs they are a part of something else, such as an address. A number is no
// tag.
func tagged(form *regexp.Regexp, not string) Finder {
	return func(ctx context.Context, text string) iter.Seq[string] {
		return scan(ctx, text, form, func(before rune, match, _ string) string {
			if inWord(before) || strings.ContainsRune(not, before) || !strings.ContainsFunc(match, unicode.IsLetter) {
				return ""
			}
			return match
		})
	}
}
