package webapi

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestTame(t *testing.T) {
	for page, want := range map[string]string{
		`<p>x</p>`:                   `<p>x</p>`,
		`<B>x</b>`:                   `<x-helve-B>x</x-helve-b>`,
		`<a href=x>`:                 `<x-helve-a href=x>`,
		"<strong\n>":                 "<x-helve-strong\n>",
		`<br><blockquote><iframe>`:   `<br><blockquote><iframe>`,
		`<strongest><ab><strike-on>`: `<strongest><ab><strike-on>`,
		`a < b`:                      `a < b`,
		`<`:                          `<`,
		`</`:                         `</`,
		`<i/><html><BODY/>`:          `<x-helve-i/><x-helve-html><x-helve-BODY/>`,
		`<<b>`:                       `<<x-helve-b>`,
	} {
		if got, tags := tame(page); string(got) != want || tags != strings.Count(page, "<") {
			t.Errorf("tame(%q) = %q, %d, want %q, %d", page, got, tags, want, strings.Count(page, "<"))
		}
	}
}

// Each of these pages makes the bare parser build far more than it was given,
// or work for minutes.
func TestReadableBoundsItsWork(t *testing.T) {
	var formats, attributes strings.Builder
	formats.WriteString("<p>")
	for i := range 400 {
		fmt.Fprintf(&formats, "<b id=%d>", i)
	}
	formats.WriteString(strings.Repeat("<p>x", 30_000))
	for i := range 90_000 {
		fmt.Fprintf(&attributes, "<html a%d><body b%d>", i, i)
	}
	for name, page := range map[string]string{
		"formatting": formats.String(),
		"in a title": "<svg><title>" + formats.String(),
		"attributes": attributes.String() + "<p>end",
	} {
		tamed, tags := tame(page)
		doc, err := html.Parse(strings.NewReader(string(tamed)))
		if err != nil {
			continue // nested too deeply: refused at no cost
		}
		nodes := 0
		for range doc.Descendants() {
			nodes++
		}
		if nodes > 3*tags+10 {
			t.Errorf("%s: %d tags became %d nodes", name, tags, nodes)
		}
	}
}

func TestReadableRefusesWhatIsOutOfBounds(t *testing.T) {
	for name, page := range map[string]string{
		"too deep": strings.Repeat("<div>", 600) + "x",
		"too many": strings.Repeat("<p>x", maxTags+1),
	} {
		if got, ok := readable(page, &url.URL{}); ok {
			t.Errorf("%s: readable = %d bytes, want a refusal", name, len(got))
		}
	}
	// In bounds, but too heavy to search for the main content: all text is kept.
	heavy := strings.Repeat("<div>", 480) + strings.Repeat("<p>word, word", 9_000)
	if got, ok := readable(heavy, &url.URL{}); !ok || strings.Count(got, "word, word") != 9_000 {
		t.Errorf("a heavy page gave %d bytes, %v, want all of its text", len(got), ok)
	}
}
