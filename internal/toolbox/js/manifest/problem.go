package manifest

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/helve-dev/helve/internal/lib/textcut"
)

// Problem is a problem of a file in a tools directory that its author must know.
type Problem struct {
	// Dir is the directory, as configured. Only operators may see it.
	Dir string `json:"-"`
	// File is the file's name in its directory.
	File string `json:"file"`
	// Entry is the index of a group's tool, from 0; nil means the whole file.
	Entry *int `json:"entry,omitempty"`
	// Tool is the tool's name if it is known.
	Tool string `json:"-"`
	// Reason is a sentence that explains what to do.
	Reason string `json:"reason"`
	// Warning is set if the problem left out nothing.
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

// maxShown limits the quoted part of a foreign text in a reason, in bytes.
const maxShown = 60

func clip(text string) string { return textcut.Clip(text, maxShown) }

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
