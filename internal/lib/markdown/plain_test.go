package markdown

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func TestPlain(t *testing.T) {
	for source, want := range map[string]string{
		"# Title\n\nSome *words* and a [link](https://example.org).": "Title\n\nSome words and a link.",
		"![a picture](x.png) `code` &amp; <b>bold</b>":               "a picture code & bold",
		"": "",
	} {
		_, doc, err := Parse(t.Context(), []byte(source))
		if err != nil {
			t.Fatal(err)
		}
		if got := Plain(doc, []byte(source)); got != want {
			t.Errorf("Plain(%q) = %q, want %q", source, got, want)
		}
	}
}

// What makes the parser slow is refused; a quote within a quote is the cheapest.
func TestParseIsBounded(t *testing.T) {
	for name, source := range map[string]string{
		"quotes": strings.Repeat(">", 10_000) + "x",
		"marks":  strings.Repeat("*a **b ", 20_000),
	} {
		if _, _, err := Parse(t.Context(), []byte(source)); err != nil && tool.AsError(err).Kind != tool.ValidationError {
			t.Errorf("%s: error %v, want none or a %s", name, err, tool.ValidationError)
		}
	}
	if _, _, err := Parse(t.Context(), []byte(strings.Repeat("> ", maxBlocks+1)+"x")); err == nil {
		t.Errorf("%d quotes within each other are parsed, want an error", maxBlocks+1)
	}
}

func TestParseStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Parse(ctx, bytes.Repeat([]byte("- a\n\n"), 1000)); !errors.Is(err, context.Canceled) {
		t.Errorf("Parse with a cancelled context: error %v, want %v", err, context.Canceled)
	}
}
