package webapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
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

// Each of these pages makes the unprotected parser build far more than its input, or
// work for minutes.
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
			continue // nested too deeply: refused without cost
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
}

// A page within the limits, but too expensive to search for its main content, is
// returned whole.
func TestReadableKeepsAllOfAHeavyPage(t *testing.T) {
	content := strings.Repeat("<p>"+strings.Repeat("Enough words, and commas, to be taken for content. ", 5), 5_000)
	page := strings.Repeat("<div>", 480) + content + `<div class="sidebar"><a href="/c">Read more</a></div>`
	got, ok := readable(page, &url.URL{})
	if !ok || strings.Count(got, "Enough") != 25_000 || !strings.Contains(got, "Read more") {
		t.Errorf("readable = %d bytes, %v, want all of the page's text", len(got), ok)
	}
}

func TestMakeReadableWaitsNoLongerThanItsCall(t *testing.T) {
	for range cap(parsing) {
		parsing <- struct{}{}
	}
	defer func() {
		for range cap(parsing) {
			<-parsing
		}
	}()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := new(page).makeReadable(ctx, new(http.Response)); !errors.Is(err, context.Canceled) {
		t.Errorf("makeReadable with no place free = %v, want %v", err, context.Canceled)
	}
}
