package cli

import "testing"

func TestBareMarkup(t *testing.T) {
	t.Parallel()
	for preview, want := range map[string]string{
		`a: "\u003cb\u003e \u0026amp;"`:     `a: "<b> &amp;"`,
		`a: "\\u003c \\\u003c \u202e \n\""`: `a: "\\u003c \\< \u202e \n\""`,
		`a: "\u001b[31m"`:                   `a: "\u001b[31m"`,
		`trailing \`:                        `trailing \`,
		"":                                  "",
	} {
		if got := bareMarkup(preview); got != want {
			t.Errorf("bareMarkup(%s) = %s, want %s", preview, got, want)
		}
	}
}
