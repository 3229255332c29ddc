package pdf

import (
	"slices"
	"strconv"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// span is a run of pages, counted from 1, both ends included.
type span struct{ from, to int }

// parsePages parses a choice of pages: all, 3, 1-5, 1,3,7-, -2 or last. The spans are
// sorted and do not touch; an open end is maxPages, the last page -1.
func parsePages(text string) ([]span, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	if text == "" || text == "all" || text == "*" {
		return []span{{1, maxPages}}, nil
	}
	var all []span
	for part := range strings.SplitSeq(strings.NewReplacer("–", "-", "..", "-", ";", ",", "to", "-").Replace(text), ",") {
		part = strings.TrimSpace(part)
		first, final, isRange := strings.Cut(part, "-")
		s := span{1, maxPages}
		ok := part != "" && part != "-"
		switch {
		case part == "last":
			s = span{-1, -1}
		case !isRange:
			s.from, ok = pageNumber(first, ok)
			s.to = s.from
		default:
			if strings.TrimSpace(first) != "" {
				s.from, ok = pageNumber(first, ok)
			}
			if end := strings.TrimSpace(final); end != "" && end != "last" && end != "end" {
				s.to, ok = pageNumber(final, ok)
			}
		}
		if !ok || s.to < s.from {
			return nil, tool.Fail(tool.ValidationError,
				"pages holds %q, which names no pages: write all, a number, or ranges such as 1-5 or 1,3,7-9; the first page is 1.", clean(part))
		}
		all = append(all, s)
	}
	return all, nil
}

func pageNumber(text string, ok bool) (int, bool) {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	return min(n, maxPages), ok && err == nil && n >= 1
}

// choose resolves spans against the number of pages: sorted, merged, cut at the end.
func choose(all []span, pages int) ([]span, error) {
	var chosen []span
	for _, s := range all {
		if s.from < 0 {
			s = span{pages, pages}
		}
		if s.from <= pages {
			chosen = append(chosen, span{s.from, min(s.to, pages)})
		}
	}
	if len(chosen) == 0 {
		return nil, tool.Fail(tool.ValidationError, "The PDF has %d page(s), none of those that pages names.", pages)
	}
	slices.SortFunc(chosen, func(a, b span) int { return a.from - b.from })
	merged := chosen[:1]
	for _, s := range chosen[1:] {
		if final := &merged[len(merged)-1]; s.from <= final.to+1 {
			final.to = max(final.to, s.to)
		} else {
			merged = append(merged, s)
		}
	}
	return merged, nil
}

// contains reports whether a page is one of the chosen.
func contains(chosen []span, page int) bool {
	return slices.ContainsFunc(chosen, func(s span) bool { return s.from <= page && page <= s.to })
}

// spell formats spans in the syntax of pages.
func spell(chosen []span) string {
	var parts []string
	for _, s := range chosen {
		if s.from == s.to {
			parts = append(parts, strconv.Itoa(s.from))
		} else {
			parts = append(parts, strconv.Itoa(s.from)+"-"+strconv.Itoa(s.to))
		}
	}
	return strings.Join(parts, ",")
}
