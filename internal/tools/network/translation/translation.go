// Package translation holds the tools that translate texts and recognise languages.
//
// The first of these that the caller has an account of translates: DeepL, LibreTranslate,
// the configured model. A text is data to a model, which is told not to obey it. Long texts
// and many texts are sent in several requests; white space around a text is kept. Languages
// are recognised offline, so no text leaves the worker for that.
//
// Nothing here checks that a translation is right.
package translation

import (
	"strings"

	"github.com/helve-dev/helve/internal/lib/tongue"
	"github.com/helve-dev/helve/tool"
)

// Set holds the tools of this package; each file adds its own.
var Set = tool.NewSet("Translation", "translation")

// maxText bounds the texts of a call together, in bytes.
const maxText = 300_000

// auto stands for a source language that the provider recognises.
const auto = "auto"

// blank reports whether a text has nothing to translate.
func blank(text string) bool { return strings.TrimSpace(text) == "" }

// languageOf returns the language that a parameter names.
func languageOf(parameter, text string) (tongue.Language, error) {
	l, ok := tongue.Find(text)
	if !ok {
		meant := ""
		if near := tongue.Near(text); near != "" {
			meant = "did you mean " + near + "? "
		}
		return l, tool.Fail(tool.ValidationError, "%s: there is no language %.50q; %slist_languages lists codes and names",
			parameter, text, meant)
	}
	return l, nil
}

// sourceOf is languageOf for a language that may be left to the provider.
func sourceOf(text string) (tongue.Language, error) {
	if text = strings.TrimSpace(text); text == "" || strings.EqualFold(text, auto) {
		return tongue.Language{}, nil
	}
	return languageOf("sourceLanguage", text)
}
