package manifest

import (
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Problem is something about a file of a tools directory that its author has to
// know.
type Problem struct {
	// Dir is the directory, as the operator named it. It is for operators only.
	Dir string `json:"-"`
	// File is the file's name in its directory.
	File string `json:"file"`
	// Entry is which of a group's tools, from 0; nil is the whole file.
	Entry *int `json:"entry,omitempty"`
	// Tool is the tool's name where it is known.
	Tool string `json:"-"`
	// Reason is a sentence that says what to do.
	Reason string `json:"reason"`
	// Warning says that nothing was left out for it.
	Warning bool `json:"warning,omitempty"`
}

// String returns "file[entry]: reason", or "file: reason" of a whole file.
func (p Problem) String() string {
	where := p.File
	if p.Entry != nil {
		where = fmt.Sprintf("%s[%d]", p.File, *p.Entry)
	}
	if p.Warning {
		return where + ": warning: " + p.Reason
	}
	return where + ": " + p.Reason
}

// maxShown bounds how much of a foreign text a reason repeats, in bytes.
const maxShown = 60

func clip(text string) string {
	if len(text) <= maxShown {
		return text
	}
	cut := maxShown
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

func kindName(kind jsontext.Kind) string {
	switch kind {
	case 'n':
		return "null"
	case 't', 'f':
		return "boolean"
	case '"':
		return "string"
	case '0':
		return "number"
	case '{':
		return "object"
	case '[':
		return "array"
	default:
		return "nothing"
	}
}
