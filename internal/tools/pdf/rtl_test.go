package pdf

import "testing"

func TestJoined(t *testing.T) {
	c, err := newCoverage(nil, "")
	if err != nil {
		t.Fatal(err)
	}
	for s, want := range map[string]string{
		"Latin":     "Latin",
		"سلام":      "\uFEB3\uFEFC\uFEE1", // seen initial, lam with alef final, meem isolated
		"باب":       "\uFE91\uFE8E\uFE8F", // alef does not join the next letter
		"دار":       "\uFEA9\uFE8D\uFEAD", // nothing joins
		"محمد":      "\uFEE3\uFEA4\uFEE4\uFEAA",
		"مُحَمد":    "\uFEE3\u064F\uFEA4\u064E\uFEE4\uFEAA", // vowel marks are not letters
		"لا":        "\uFEFB",
		"پیچ":       "\uFB58\uFBFF\uFB7B", // Persian
		"ب ب":       "\uFE8F \uFE8F",
		"می\u200cخ": "\uFEE3\uFBFD\u200c\uFEA5",
	} {
		if got := c.joined(s); got != want {
			t.Errorf("joined(%s) = %+q, want %+q", s, got, want)
		}
	}
}

func TestVisual(t *testing.T) {
	for s, want := range map[string]string{
		"left to right":        "left to right",
		"שלום":                 "םולש",
		"שלום עולם":            "םלוע םולש",
		"say שלום twice":       "say םולש twice",
		"שלום (12) world":      "world (12) םולש",
		"say שלום 12 עולם now": "say םלוע 12 םולש now",
		"1 שלום":               "םולש 1",
	} {
		if got := visual(s, beginsRight(s)); got != want {
			t.Errorf("visual(%s) = %q, want %q", s, got, want)
		}
	}
	// A line of a right-to-left text does, whatever letter comes first.
	if got, want := visual("world שלום", true), "םולש world"; got != want {
		t.Errorf("a line that begins with Latin = %q, want %q", got, want)
	}
	if got, want := visual("שלום world", false), "םולש world"; got != want {
		t.Errorf("a line that begins with Hebrew = %q, want %q", got, want)
	}
}
