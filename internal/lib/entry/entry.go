// Package entry checks the texts that a tool stores for a person.
//
// It changes nothing: texts are stored as they were given. Whether a text can be stored
// at all, such as one with a NUL, is decided by the store.
package entry

import (
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// MaxText bounds a text, in bytes.
const MaxText = 900_000

// MaxTags bounds the tags of an item.
const MaxTags = 100

// Text is a text and the parameter that it was given in.
type Text struct{ Name, Value string }

// Required returns an error if a text is missing, blank or too long.
func Required(name, value string) error {
	if strings.TrimSpace(value) == "" {
		return tool.Fail(tool.ValidationError, "%s is missing or blank", name)
	}
	return Fit(Text{name, value})
}

// Fit returns an error for the first text that is too long.
func Fit(texts ...Text) error {
	for _, t := range texts {
		if len(t.Value) > MaxText {
			return tool.Fail(tool.ValidationError, "%s has %d bytes, and may have %d", t.Name, len(t.Value), MaxText)
		}
	}
	return nil
}

// Tags returns the tags without blank ones and repetitions.
func Tags(name string, tags []string) ([]string, error) {
	var kept []string
	for _, tag := range tags {
		if err := Fit(Text{name, tag}); err != nil {
			return nil, err
		}
		if strings.TrimSpace(tag) == "" || slices.Contains(kept, tag) {
			continue
		}
		if len(kept) == MaxTags {
			return nil, tool.Fail(tool.ValidationError, "%s has more than %d tags", name, MaxTags)
		}
		kept = append(kept, tag)
	}
	return kept, nil
}
